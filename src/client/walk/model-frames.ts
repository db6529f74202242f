/** The frames of a response as the model server sends them, and what its answers are made of. */
import type { UIMessageChunk } from "ai";
import type { ResponseFrame } from "../../shared/server-frames.ts";
import { CHAT_MESSAGE_TYPES as T } from "../../shared/wire-words.ts";

export function responseOf(id: string): ResponseFrame {
  return { type: T.USE_CHAT_RESPONSE, id, body: "", done: false };
}

export function chunkFrame(
  turn: { requestId: string; isContinuation: boolean },
  chunk: UIMessageChunk,
  seq: number,
): ResponseFrame {
  const continuation = turn.isContinuation ? { continuation: true } : {};
  return { ...responseOf(turn.requestId), body: JSON.stringify(chunk), seq, ...continuation };
}

/** Neighbouring deltas joined, each frame under the last seq it covers. */
export function replayFrames(
  requestId: string,
  stream: { chunks: readonly UIMessageChunk[]; isContinuation: boolean },
  after: number,
): ResponseFrame[] {
  const joined: { chunk: UIMessageChunk; seq: number }[] = [];
  stream.chunks.slice(after).forEach((chunk, index) => {
    const last = joined.at(-1);
    const seq = after + index + 1;
    if (last?.chunk.type === "text-delta" && chunk.type === "text-delta") {
      joined[joined.length - 1] = { chunk: { ...chunk, delta: last.chunk.delta + chunk.delta }, seq };
    } else joined.push({ chunk, seq });
  });
  const turn = { requestId, isContinuation: stream.isContinuation };
  return joined.map(({ chunk, seq }) => Object.assign(chunkFrame(turn, chunk, seq), { replay: true }));
}

/** A short answer: a step of text, and sometimes a tool call and more text. */
export function planOf(seed: number): UIMessageChunk[] {
  const words = ["one", " two", " three", " four", " five"].slice(0, 1 + (seed % 5));
  const text = (id: string): UIMessageChunk[] => [
    { type: "text-start", id },
    ...words.map((delta) => ({ type: "text-delta" as const, id, delta })),
    { type: "text-end", id },
  ];
  const toolCallId = `call-${seed}`;
  const call: UIMessageChunk[] = [
    { type: "tool-input-available", toolCallId, toolName: "add", input: { a: seed } },
    { type: "tool-output-available", toolCallId, output: seed },
  ];
  return [{ type: "start-step" }, ...text("0"), ...(seed % 3 === 0 ? [...call, ...text("0")] : []), { type: "finish" }];
}
