/** The AI SDK's own reader of UI message streams, as the oracle for ours. */
import type { UIMessage, UIMessageChunk } from "ai";
import { readUIMessageStream } from "ai";

/** Told last, so that the reader shows its state after a chunk that it does not show by itself. */
const LAST: UIMessageChunk = { type: "data-last", data: null };

/** The message the AI SDK makes of `chunks`, going on from `message`. Rejects when it refuses a chunk. */
export async function readBySdk(chunks: readonly UIMessageChunk[], message?: UIMessage): Promise<UIMessage> {
  const errors: unknown[] = [];
  const messages = readUIMessageStream({
    ...(message ? { message: structuredClone(message) } : {}),
    stream: streamOf([...structuredClone(chunks), LAST]),
    onError: (error) => errors.push(error),
  });
  let last: UIMessage | undefined;
  for await (const snapshot of messages) last = snapshot;
  const told = chunks.flatMap((chunk) => (chunk.type === "error" ? [chunk.errorText] : []));
  if (errors.length > told.length || !last) throw new Error("The reader refused a chunk", { cause: errors });
  return { ...last, parts: last.parts.slice(0, -1) };
}

function streamOf(chunks: readonly UIMessageChunk[]): ReadableStream<UIMessageChunk> {
  return new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}
