/** What `onChatMessage` returned, as one stream of UI message chunks. */
import { parseJsonEventStream, type UIMessageChunk } from "ai";
import { z } from "zod";
import { TroupeError } from "../../../shared/errors.ts";
import type { ChatResult, StreamableResult } from "../contract.ts";

/** Called with the error behind an `error` chunk or a failed tool; returns the text for the chunk. That of an `error` chunk never leaves the server. */
export type OnStreamError = (error: unknown) => string;

/** The chunks of a result; null for none. Throws for a value that is no result. */
export function chunksOf(result: ChatResult, onError: OnStreamError): AsyncIterable<UIMessageChunk> | null {
  if (result === undefined || result === null) return null;
  if (result instanceof Response) return chunksOfResponse(result);
  if (typeof (result as Partial<StreamableResult>).toUIMessageStream === "function") {
    return result.toUIMessageStream({ onError, sendReasoning: true, sendSources: true } as { onError: OnStreamError });
  }
  throw new TroupeError(
    "internal",
    "onChatMessage must return an object with toUIMessageStream(), such as the result of streamText(), or a Response.",
  );
}

async function* chunksOfResponse(response: Response): AsyncGenerator<UIMessageChunk> {
  if (!response.ok) {
    await response.body?.cancel();
    throw new TroupeError("model_error", `The answer came with HTTP status ${response.status}.`, { retryable: true });
  }
  if (response.body === null) return;
  const isEvents = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
  yield* isEvents ? chunksOfEvents(response.body) : chunksOfText(response.body);
}

async function* chunksOfEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<UIMessageChunk> {
  const schema = z.custom<UIMessageChunk>((value) => typeof (value as { type?: unknown } | null)?.type === "string");
  for await (const event of readAll(parseJsonEventStream({ stream, schema }))) {
    if (event.success) yield event.value;
    else throw event.error;
  }
}

async function* chunksOfText(stream: ReadableStream<Uint8Array>): AsyncGenerator<UIMessageChunk> {
  const id = "text";
  yield { type: "start" };
  yield { type: "text-start", id };
  for await (const delta of readAll(
    stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>),
  )) {
    if (delta !== "") yield { type: "text-delta", id, delta };
  }
  yield { type: "text-end", id };
  yield { type: "finish" };
}

/** A stream as an iterable that cancels its source when the loop is left. */
async function* readAll<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
