/**
 * A stream as server-sent events, in the AI SDK's UI message stream format:
 * `id: <seq>`, `data: <chunk JSON>`, at the end `data: [DONE]`.
 *
 * The reader pulls: it catches up from storage, then takes live chunks from a
 * bounded mailbox, and when it is too slow for that it catches up again. A slow
 * or vanished reader costs the turn nothing.
 */
import type { ChunkEntry } from "../../stream-buffer/contract.ts";
import type { ConversationParts } from "../parts.ts";
import type { LiveStream, StreamReader } from "../turn/live-stream.ts";
import type { TurnRecord } from "../turn/turn-log.ts";
import type { TurnEnding } from "../turn/turn.ts";
import { catchUp } from "./replay.ts";
import { sourceOf } from "./resume.ts";

/** Live chunks held for a reader before it has to go back to storage, in characters. */
const MAILBOX_CHARS = 256 * 1024;

/** What a reader is told that cannot be given the rest: the answer itself goes on. */
const UNREADABLE: TurnEnding = {
  state: "failed",
  error: {
    code: "internal",
    message: "The rest of the answer cannot be read here. Load the conversation again.",
    retryable: true,
  },
  messageIds: [],
};

export const EVENT_STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-vercel-ai-ui-message-stream": "v1",
  "x-accel-buffering": "no",
} as const;

export interface EventStreamSource {
  readonly record: TurnRecord;
  /** Start after this seq. */
  readonly after: number;
}

/** The response that carries a stream. */
export function eventStreamResponse(parts: ConversationParts, options: EventStreamSource): Response {
  const events = eventsOf(parts, options);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const next = await events.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    cancel: async () => {
      await events.return(undefined);
    },
  });
  return new Response(body, {
    headers: { ...EVENT_STREAM_HEADERS, "x-chat-request-id": options.record.requestId },
  });
}

async function* eventsOf(parts: ConversationParts, { record, after }: EventStreamSource): AsyncGenerator<string, void> {
  const { requestId } = record;
  const mailbox = new Mailbox();
  let seq = after;
  let isWhole = true;
  try {
    for (;;) {
      const caughtUp = await attach(parts, record, seq, mailbox);
      for (const entry of caughtUp.entries) yield event(entry.to, JSON.stringify(entry.chunk));
      seq = caughtUp.entries.at(-1)?.to ?? seq;
      isWhole = caughtUp.isWhole;
      if (!isWhole) break;
      for (let mail = await mailbox.take(); mail !== null; mail = await mailbox.take()) {
        seq = mail.seq;
        yield event(mail.seq, mail.body);
      }
      detach(parts, requestId, mailbox);
      if (!mailbox.hasOverflowed) break;
    }
    yield* endEvents(endingFor(parts, requestId, isWhole));
  } finally {
    detach(parts, requestId, mailbox);
  }
}

/** Puts the mailbox where the turn is: in line, at the running stream after catching up, or closed when it has ended. */
async function attach(
  parts: ConversationParts,
  record: TurnRecord,
  after: number,
  mailbox: Mailbox,
): Promise<{ readonly entries: readonly ChunkEntry[]; readonly isWhole: boolean }> {
  const { requestId } = record;
  const running = runningStream(parts, requestId);
  mailbox.open();
  if (running === null && parts.turns.byRequest(requestId)?.ending === null) {
    parts.followers.add(requestId, mailbox);
    return { entries: [], isWhole: true };
  }
  const entries: ChunkEntry[] = [];
  const { isWhole } = await catchUp(
    sourceOf(parts, record, running),
    // A position beyond the stream is that of an earlier one.
    running !== null && after > running.writer.lastSeq ? 0 : after,
    (more) => void entries.push(...more),
    () => {
      if (running !== null && runningStream(parts, requestId) === running) running.readers.add(mailbox);
      else mailbox.ended();
    },
  );
  return { entries, isWhole };
}

function detach(parts: ConversationParts, requestId: string, mailbox: Mailbox): void {
  runningStream(parts, requestId)?.readers.delete(mailbox);
  parts.followers.remove(requestId, mailbox);
}

function runningStream(parts: ConversationParts, requestId: string): LiveStream | null {
  const { stream } = parts.running;
  return stream?.requestId === requestId ? stream : null;
}

/** What ends the event stream: the chunk that tells why, if the turn did not complete, and the marker. */
function* endEvents(ending: TurnEnding): Generator<string, void> {
  if (ending.state === "failed") {
    yield `data: ${JSON.stringify({ type: "error", errorText: ending.error?.message ?? "The answer failed." })}\n\n`;
  }
  if (ending.state === "aborted" || ending.state === "superseded")
    yield `data: ${JSON.stringify({ type: "abort" })}\n\n`;
  yield "data: [DONE]\n\n";
}

/** How the turn ended; an aborted ending when it was cleared. One who did not get everything is not told that all went well. */
function endingFor(parts: ConversationParts, requestId: string, isWhole: boolean): TurnEnding {
  const ending = parts.turns.byRequest(requestId)?.ending;
  if (!isWhole && (ending === null || ending?.state === "completed")) return UNREADABLE;
  return ending ?? { state: "aborted", messageIds: [] };
}

function event(seq: number, body: string): string {
  return `id: ${seq}\ndata: ${body}\n\n`;
}

/** Live chunks for one slow reader. `take` gives null when the stream has ended or the box has overflowed. */
class Mailbox implements StreamReader {
  #mail: { readonly seq: number; readonly body: string }[] = [];
  #chars = 0;
  #wake: () => void = () => undefined;
  hasEnded = false;
  hasOverflowed = false;

  /** Empties the box for another round of live chunks. */
  open(): void {
    this.#mail = [];
    this.#chars = 0;
    this.hasOverflowed = false;
  }

  chunk(seq: number, body: string): void {
    if (this.hasOverflowed) return;
    this.#chars += body.length;
    this.hasOverflowed = this.#chars > MAILBOX_CHARS && this.#mail.length > 0;
    if (!this.hasOverflowed) this.#mail.push({ seq, body });
    this.#wake();
  }

  ended(): void {
    this.hasEnded = true;
    this.#wake();
  }

  async take(): Promise<{ readonly seq: number; readonly body: string } | null> {
    for (;;) {
      const mail = this.#mail.shift();
      if (mail !== undefined) {
        this.#chars -= mail.body.length;
        return mail;
      }
      if (this.hasEnded || this.hasOverflowed) return null;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
