/** A turn of the model server and its stream, and the frames that are made of them. */
import type { UIMessage, UIMessageChunk } from "ai";
import { applyChunk, emptyAssistant, type FoldState, startFold } from "../../shared/apply-chunk.ts";
import type { ResponseFrame } from "../../shared/server-frames.ts";
import { CHAT_MESSAGE_TYPES as T, type TurnOutcome } from "../../shared/wire-words.ts";

export interface Turn {
  readonly requestId: string;
  readonly messageId: string;
  /** The user messages it brings, in the transcript once it has started. */
  readonly input: readonly UIMessage[];
  /** The stored message that it answers again. */
  readonly answers: string | null;
  /** It goes on with a message that a turn before it began. */
  readonly isContinuation: boolean;
  readonly plan: UIMessageChunk[];
  /** `found`: a restart has found it running. `damaged`: its record cannot be read; it is known, and neither open nor ended. */
  state: "queued" | "running" | "found" | "damaged";
  stream: Stream | null;
  /** The terminal frame, once it has ended. */
  ending: ResponseFrame | null;
}

export interface Stream {
  readonly sent: UIMessageChunk[];
  fold: FoldState;
  /** How much of it survives the server. */
  stored: number;
  /** Storage has lost it. */
  isLost: boolean;
  /** How the model's part of it ended; it is stored, and the turn is about to end. */
  outcome: Exclude<TurnOutcome, "skipped"> | null;
}

export function newTurn(
  request: Pick<Turn, "requestId" | "messageId" | "input" | "answers">,
  plan: UIMessageChunk[],
): Turn {
  return { ...request, isContinuation: false, plan, state: "queued", stream: null, ending: null };
}

export function newStream(base: UIMessage): Stream {
  return { sent: [], fold: startFold(base), stored: 0, isLost: false, outcome: null };
}

/** The turn that goes on where this one was cut. */
export function nextSegment(turn: Turn, plan: UIMessageChunk[]): Turn {
  const { messageId } = turn;
  const request = { requestId: `${turn.requestId}+`, messageId, input: [], answers: answeredBy(turn) };
  return { ...newTurn(request, plan), isContinuation: true };
}

export function inputIds({ input }: Turn): string[] {
  return input.map(({ id }) => id);
}

/** The message that the turn answers. */
export function answeredBy(turn: Turn): string | null {
  return turn.input.at(-1)?.id ?? turn.answers;
}

/** Adds the next chunk to the stream and gives its frame. */
export function emit(turn: Turn, stream: Stream, chunk: UIMessageChunk): ResponseFrame {
  stream.sent.push(chunk);
  stream.fold = applyChunk(stream.fold, chunk);
  return chunkFrame(turn, chunk, stream.sent.length);
}

/** What storage has of the answer. */
export function storedFold({ messageId, stream }: Turn, base: UIMessage | undefined): FoldState {
  const kept = stream === null || stream.isLost ? [] : stream.sent.slice(0, stream.stored);
  return kept.reduce(applyChunk, startFold(base ?? emptyAssistant(messageId)));
}

const FAILURES = {
  error: { body: "It broke.", code: "model_error" },
  interrupted: { body: "The answer was interrupted.", code: "interrupted" },
} as const;

export type Outcome = TurnOutcome | "interrupted";

/** The metadata of an answer that was cut. */
export function markOf(outcome: Outcome): object {
  if (outcome === "completed" || outcome === "recovering") return {};
  if (outcome !== "error" && outcome !== "interrupted") return { metadata: { troupe: { outcome: "aborted" } } };
  const { body: message, code } = FAILURES[outcome];
  return { metadata: { troupe: { outcome: "failed", error: { code, message, retryable: true } } } };
}

/** The frame that ends a request. */
export function terminalOf(id: string, outcome: Outcome, messageIds: string[], body = ""): ResponseFrame {
  const base = { type: T.USE_CHAT_RESPONSE, id, done: true } as const;
  if (outcome !== "error" && outcome !== "interrupted") return { ...base, body, outcome, messageIds };
  return { ...base, ...FAILURES[outcome], error: true, outcome: "error", messageIds, retryable: true };
}

export function refusalOf(id: string, code: "forbidden" | "limit" | "not_found"): ResponseFrame {
  const frame = terminalOf(id, "error", [], "");
  return { ...frame, body: "No.", code, retryable: code === "limit" };
}

/** The pieces of a stream behind `after`, neighbouring deltas joined, each under the last seq it covers. */
export function replayFrames(turn: Turn, chunks: readonly UIMessageChunk[], after: number): ResponseFrame[] {
  const joined: { chunk: UIMessageChunk; seq: number }[] = [];
  chunks.slice(after).forEach((chunk, index) => {
    const last = joined.at(-1);
    const seq = after + index + 1;
    if (last?.chunk.type === "text-delta" && chunk.type === "text-delta") {
      joined[joined.length - 1] = { chunk: { ...chunk, delta: last.chunk.delta + chunk.delta }, seq };
    } else joined.push({ chunk, seq });
  });
  return joined.map(({ chunk, seq }) => replayed(turn, chunk, seq));
}

/** The answer as it is now in as few chunks as it takes, the last under the seq it reaches to. */
export function snapshotFrames(
  turn: Turn,
  { message, open }: Pick<FoldState, "message" | "open">,
  lastSeq: number,
): ResponseFrame[] {
  const openAt = new Map([...open].map(([key, at]) => [at, key.slice(key.indexOf(":") + 1)]));
  const metadata = message.metadata === undefined ? {} : { messageMetadata: message.metadata };
  const chunks: UIMessageChunk[] = [
    { type: "start", messageId: message.id, ...metadata },
    ...message.parts.flatMap((part, at) => chunksOf(part, openAt.get(at), `part-${at}`)),
  ];
  return chunks.map((chunk, at) =>
    replayed(turn, chunk, at === chunks.length - 1 ? Math.max(at + 1, lastSeq) : at + 1),
  );
}

function chunksOf(part: UIMessage["parts"][number], openId: string | undefined, fresh: string): UIMessageChunk[] {
  if (part.type === "step-start") return [{ type: "start-step" }];
  if (part.type === "text") {
    const id = openId ?? fresh;
    const delta: UIMessageChunk[] = part.text === "" ? [] : [{ type: "text-delta", id, delta: part.text }];
    return [{ type: "text-start", id }, ...delta, ...(openId === undefined ? [{ type: "text-end" as const, id }] : [])];
  }
  if (part.type !== "tool-add" || part.state === "input-streaming") return [];
  const { toolCallId, input } = part;
  const call: UIMessageChunk = { type: "tool-input-available", toolCallId, toolName: "add", input };
  if (part.state === "output-error")
    return [call, { type: "tool-output-error", toolCallId, errorText: part.errorText }];
  return part.state === "output-available"
    ? [call, { type: "tool-output-available", toolCallId, output: part.output }]
    : [call];
}

function chunkFrame(turn: Turn, chunk: UIMessageChunk, seq: number): ResponseFrame {
  const continuation = turn.isContinuation ? { continuation: true } : {};
  const frame = { type: T.USE_CHAT_RESPONSE, id: turn.requestId, body: JSON.stringify(chunk), done: false } as const;
  return { ...frame, seq, ...continuation };
}

function replayed(turn: Turn, chunk: UIMessageChunk, seq: number): ResponseFrame {
  const isRunning = turn.ending === null;
  const { continuation, ...frame } = chunkFrame(turn, chunk, seq);
  return { ...frame, replay: true, ...(continuation === true && isRunning ? { continuation } : {}) };
}

/** A short answer: a step of text, and sometimes a tool call and more text, or nothing. */
export function planOf(messageId: string, seed: number): UIMessageChunk[] {
  const words = ["one", " two", " three", " four", " five"].slice(0, 1 + (seed % 5));
  const text = (id: string): UIMessageChunk[] => [
    { type: "text-start", id },
    ...words.map((delta) => ({ type: "text-delta" as const, id, delta })),
    { type: "text-end", id },
  ];
  const toolCallId = `call-${messageId}-${seed}`;
  const call: UIMessageChunk[] = [
    { type: "tool-input-available", toolCallId, toolName: "add", input: { a: seed } },
    { type: "tool-output-available", toolCallId, output: seed },
  ];
  const said = seed % 11 === 10 ? [] : [...text("0"), ...(seed % 3 === 0 ? [...call, ...text("0")] : [])];
  return [{ type: "start", messageId }, { type: "start-step" }, ...said, { type: "finish-step" }, { type: "finish" }];
}
