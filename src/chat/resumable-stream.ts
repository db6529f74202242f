/**
 * The chunks of an Agent's answers in its own SQLite, so that a client that
 * comes back reads them again. For agents that do not use a StreamBuffer.
 *
 * One stream is active at a time. Chunks are written ten at a time, so a crash
 * loses at most the nine newest and a replay is a prefix of what was live. A
 * stream that was active when the object lost its memory is **orphaned**: it
 * can be replayed, but nobody produces it any more.
 */
import type { UIMessageChunk } from "ai";
import { entryOf, joinEntries } from "../actors/stream-buffer/frames.ts";
import type { Clock } from "../shared/clock.ts";
import { systemClock } from "../shared/clock.ts";
import { CHAT_MESSAGE_TYPES, type ResponseFrame } from "../shared/wire.ts";
import type { ChatConnection } from "./chat-connection.ts";
import { sendFrame } from "./chat-connection.ts";
import type { SqlProvider } from "./sql-provider.ts";
import { StreamTable } from "./stream-table.ts";

const FLUSH_CHUNKS = 10;
const FLUSH_CHARS = 64 * 1024;
const RETENTION_MS = 24 * 60 * 60 * 1000;
const SWEEP_EVERY_MS = 10 * 60 * 1000;

interface ActiveStream {
  readonly streamId: string;
  readonly requestId: string;
  /** False for a stream found in storage: its producer is gone. */
  readonly isLive: boolean;
}

export class ResumableStream {
  readonly #table: StreamTable;
  readonly #clock: Pick<Clock, "now">;
  #active: ActiveStream | null;
  #buffer: string[] = [];
  #sweptAtMs = 0;

  /** Makes its tables if need be and finds the stream that was active before an eviction. */
  constructor(agent: SqlProvider, clock: Pick<Clock, "now"> = systemClock) {
    this.#table = new StreamTable(agent);
    this.#clock = clock;
    this.#sweep();
    const orphan = this.#table.newestRunning();
    this.#active = orphan ? { streamId: orphan.id, requestId: orphan.request_id, isLive: false } : null;
  }

  hasActiveStream(): boolean {
    return this.#active !== null;
  }

  get activeRequestId(): string | null {
    return this.#active?.requestId ?? null;
  }

  get activeStreamId(): string | null {
    return this.#active?.streamId ?? null;
  }

  /** Starts the stream of a request and returns its id. A stream that is still active counts as failed. */
  start(requestId: string): string {
    if (this.#active) this.markError(this.#active.streamId);
    this.#sweep();
    const streamId = crypto.randomUUID();
    this.#table.insert(streamId, requestId, this.#clock.now());
    this.#active = { streamId, requestId, isLive: true };
    return streamId;
  }

  /** Keeps one chunk (`body` is its JSON) of the active stream; chunks of other streams are ignored. */
  storeChunk(streamId: string, body: string): void {
    if (streamId !== this.#active?.streamId || !this.#active.isLive) return;
    this.#buffer.push(body);
    const isFull = this.#buffer.length >= FLUSH_CHUNKS || lengthOf(this.#buffer) >= FLUSH_CHARS;
    if (isFull) this.flush();
  }

  /** Writes what is buffered. */
  flush(): void {
    if (!this.#active || this.#buffer.length === 0) return;
    const bodies = this.#buffer;
    this.#buffer = [];
    this.#table.append(this.#active.streamId, bodies);
  }

  /** The stream has ended well. It can be replayed for a day. */
  complete(streamId: string): void {
    this.#end(streamId, "completed");
  }

  /** The stream has failed. What there is of it can be replayed for a day. */
  markError(streamId: string): void {
    this.#end(streamId, "error");
  }

  /** The stored chunks of a stream, in order; those that cannot be read are left out. */
  chunks(streamId: string): UIMessageChunk[] {
    if (streamId === this.#active?.streamId) this.flush();
    return this.#table.bodies(streamId).flatMap(parseChunk);
  }

  /**
   * Sends the stored chunks of a request, neighbouring deltas joined, then
   * `replayComplete` if more will follow live, or else the terminal frame.
   * Sends nothing for a request it does not know.
   *
   * Returns the id of a stream that was orphaned, and which this replay has
   * ended: build its message from `chunks(id)` and persist it before anything
   * is awaited, so that the client sees the end only once that is durable.
   */
  replayChunks(connection: ChatConnection, requestId: string): string | null {
    const stream = this.#table.byRequest(requestId);
    if (!stream) return null;
    const entries = this.chunks(stream.id).map((chunk, index) => entryOf(index + 1, chunk));
    for (const { chunk } of joinEntries(entries)) {
      sendFrame(connection, replayFrame(requestId, { body: JSON.stringify(chunk), done: false }));
    }
    const isActive = stream.id === this.#active?.streamId;
    if (isActive && this.#active?.isLive === true) {
      sendFrame(connection, replayFrame(requestId, { body: "", done: false, replayComplete: true }));
      return null;
    }
    if (isActive) this.complete(stream.id);
    const failure = stream.status === "error" ? { body: "The answer was cut off.", error: true } : { body: "" };
    sendFrame(connection, replayFrame(requestId, { ...failure, done: true }));
    return isActive ? stream.id : null;
  }

  /** Forgets every stream. */
  clearAll(): void {
    this.#active = null;
    this.#buffer = [];
    this.#table.clear();
  }

  #end(streamId: string, status: "completed" | "error"): void {
    if (streamId === this.#active?.streamId) {
      this.flush();
      this.#active = null;
    }
    this.#table.end(streamId, status);
  }

  #sweep(): void {
    const nowMs = this.#clock.now();
    if (nowMs - this.#sweptAtMs < SWEEP_EVERY_MS) return;
    this.#sweptAtMs = nowMs;
    this.#table.dropBefore(nowMs - RETENTION_MS);
  }
}

function replayFrame(
  id: string,
  rest: Pick<ResponseFrame, "body" | "done" | "error" | "replayComplete">,
): ResponseFrame {
  return { type: CHAT_MESSAGE_TYPES.USE_CHAT_RESPONSE, id, replay: true, ...rest };
}

function parseChunk(body: string): UIMessageChunk[] {
  try {
    const chunk = JSON.parse(body) as UIMessageChunk | null;
    return typeof chunk === "object" && chunk !== null ? [chunk] : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function lengthOf(bodies: readonly string[]): number {
  return bodies.reduce((sum, body) => sum + body.length, 0);
}
