/**
 * The resume handshake of a connection that comes while an answer streams: it
 * is offered the stream (`resuming`), gets none of its live chunks until it
 * acknowledges, then the stored chunks, then live ones; so none twice and none
 * missing. Owns who has been offered the active stream and has not answered.
 */
import { CHAT_MESSAGE_TYPES } from "../shared/wire.ts";
import type { ChatConnection } from "./chat-connection.ts";
import { sendFrame } from "./chat-connection.ts";
import type { ContinuationState } from "./continuation-state.ts";

/** What the handshake needs of a stream; `ResumableStream` is one. */
export interface ResumableStreamLike {
  hasActiveStream(): boolean;
  readonly activeRequestId: string | null;
  /** Sends nothing for a request it does not know; returns the id of a stream it found orphaned. */
  replayChunks(connection: ChatConnection, requestId: string): string | null;
}

export type ResumeAnswer = "resuming" | "awaiting-continuation" | "none";

export class StreamResumeHandler<C extends ChatConnection = ChatConnection> {
  /** Ids of connections that were offered the stream and have not acknowledged it. */
  readonly pendingConnections = new Set<string>();
  readonly #stream: ResumableStreamLike;
  #offeredRequestId: string | null = null;

  constructor(stream: ResumableStreamLike) {
    this.#stream = stream;
  }

  /** Offers the active stream to a connection; without one nothing happens. `probeId` is that of the request it answers. */
  notifyStreamResuming(connection: C, probeId?: string): void {
    const id = this.#stream.activeRequestId;
    if (!this.#stream.hasActiveStream() || id === null) return;
    if (id !== this.#offeredRequestId) this.pendingConnections.clear();
    this.#offeredRequestId = id;
    this.pendingConnections.add(connection.id);
    sendFrame(connection, { type: CHAT_MESSAGE_TYPES.STREAM_RESUMING, id, ...probe(probeId) });
  }

  /**
   * Answers a resume request. `awaiting-continuation`: a continuation is decided
   * and has not started; the connection is told `pending` and kept in
   * `continuation.awaitingConnections`, and `notifyAwaiting` or `releaseAwaiting`
   * must follow.
   */
  handleResumeRequest(connection: C, continuation: ContinuationState<C>, probeId?: string): ResumeAnswer {
    if (this.#stream.hasActiveStream()) {
      this.notifyStreamResuming(connection, probeId);
      return "resuming";
    }
    if (continuation.pending) {
      continuation.await(connection);
      const { requestId: id } = continuation.pending;
      sendFrame(connection, { type: CHAT_MESSAGE_TYPES.STREAM_PENDING, id, ...probe(probeId) });
      return "awaiting-continuation";
    }
    sendFrame(connection, { type: CHAT_MESSAGE_TYPES.STREAM_RESUME_NONE, reason: "idle", ...probe(probeId) });
    return "none";
  }

  /** The continuation's stream has started: offers it to every connection that waits for it. */
  notifyAwaiting(continuation: ContinuationState<C>): void {
    for (const connection of continuation.takeAwaiting()) this.notifyStreamResuming(connection);
  }

  /** Nothing comes any more; takes what `continuation.clearAll()` returned. */
  releaseAwaiting(connections: readonly C[]): void {
    for (const connection of connections) {
      sendFrame(connection, { type: CHAT_MESSAGE_TYPES.STREAM_RESUME_NONE, reason: "idle" });
    }
  }

  /**
   * Replays the stream of `requestId`, the active one or one that has ended in
   * the meantime; the connection then gets live chunks. An id that no stream
   * has replays nothing and changes nothing. `persistOrphan` is called before
   * anything is awaited.
   */
  handleResumeAck(connection: C, requestId: string, persistOrphan: (streamId: string) => void): void {
    if (requestId === this.#offeredRequestId) this.pendingConnections.delete(connection.id);
    const orphan = this.#stream.replayChunks(connection, requestId);
    if (orphan !== null) persistOrphan(orphan);
  }

  /** Ids of connections that must not get a broadcast of the active stream, joined with the caller's own. */
  getExclusions(exclude: readonly string[] = []): string[] {
    const isOffered = this.#stream.hasActiveStream() && this.#stream.activeRequestId === this.#offeredRequestId;
    return isOffered ? [...new Set([...exclude, ...this.pendingConnections])] : [...exclude];
  }

  /** A connection has closed. */
  forget(connectionId: string): void {
    this.pendingConnections.delete(connectionId);
  }
}

function probe(probeId: string | undefined): { probeId?: string } {
  return probeId === undefined ? {} : { probeId };
}
