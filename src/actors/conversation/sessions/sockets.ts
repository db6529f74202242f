/**
 * The chat sockets of a conversation: what each understands and hears.
 *
 * A socket's session lives in memory only: while a stream runs the object does
 * not hibernate, and without one every session is live.
 */
import type { Connection } from "agents";
import { sendFrame, sendText } from "../../../chat/chat-connection.ts";
import { utf8Bytes } from "../../../shared/json-limits.ts";
import { type Capability, CHAT_MESSAGE_TYPES, parseCapabilities, type ServerFrame } from "../../../shared/wire.ts";
import { hears, live, nextSession, type Session, type SessionEvent } from "./session.ts";

export interface SocketSource {
  /** The open sockets. */
  list(): Iterable<Connection>;
  /** Whether every socket that comes or goes is told here. Those of a child come by way of its root, untold. */
  isComplete(): boolean;
}

export class Sockets {
  readonly #source: SocketSource;
  /** The sockets that may hear, until one comes or goes; null when they are to be listed anew. */
  #listed: readonly Connection[] | null = null;
  // By socket and not by its id: a client that comes back has the same id while its old socket is still closing.
  readonly #sessions = new Map<Connection, Session>();
  readonly #undecided = new Set<Connection>();
  readonly #sent: { frames: number; frameBytes: number };

  /** What is broadcast is added to `sent`, once for each socket. */
  constructor(source: SocketSource, sent = { frames: 0, frameBytes: 0 }) {
    this.#source = source;
    this.#sent = sent;
  }

  /** Keeps everything from a socket until `let`, or until it is forgotten: whether it may come in is not decided. */
  hold(connection: Connection): void {
    this.#undecided.add(connection);
    this.#listed = null;
  }

  /** The socket may come in. */
  let(connection: Connection): void {
    this.#undecided.delete(connection);
    this.#listed = null;
  }

  session(connection: Connection): Session {
    return this.#sessions.get(connection) ?? live;
  }

  tell(connection: Connection, event: SessionEvent): void {
    const next = nextSession(this.session(connection), event);
    if (next.kind === "live") this.#sessions.delete(connection);
    else this.#sessions.set(connection, next);
  }

  forget(connection: Connection): void {
    this.#sessions.delete(connection);
    this.#undecided.delete(connection);
    this.#listed = null;
  }

  /** A frame for everybody, optionally for those that pass `include`; encoded once. */
  broadcast(frame: ServerFrame, include: (connection: Connection) => boolean = () => true): void {
    let text: string | null = null;
    let receivers = 0;
    for (const connection of this.#connections()) {
      if (!include(connection)) continue;
      sendText(connection, (text ??= JSON.stringify(frame)));
      receivers++;
    }
    if (text === null) return;
    this.#sent.frames += receivers;
    this.#sent.frameBytes += receivers * utf8Bytes(text);
  }

  /** A frame of one stream, for the sockets that hear it. */
  broadcastStream(requestId: string, frame: ServerFrame): void {
    this.broadcast(frame, (connection) => hears(this.session(connection), requestId));
  }

  /** A stream has begun: sockets that wait are sent `offer`, all others hear it. */
  streamStarted(requestId: string, offer: ServerFrame): void {
    for (const connection of this.#connections()) {
      const waited = this.session(connection).kind === "waiting";
      this.tell(connection, { type: "started", requestId });
      if (waited) sendFrame(connection, offer);
    }
  }

  /** Nothing runs or waits any more: sockets that still wait are told so. */
  idle(): void {
    for (const connection of this.#connections()) {
      if (this.session(connection).kind !== "waiting") continue;
      this.tell(connection, { type: "idle" });
      sendFrame(connection, { type: CHAT_MESSAGE_TYPES.STREAM_RESUME_NONE, reason: "idle" });
    }
  }

  /** Whether any open socket lacks the capability. */
  someWithout(capability: Capability): boolean {
    return this.#connections().some((connection) => !understands(connection, capability));
  }

  /** Listing takes longer than sending a chunk, so the list is kept from one chunk to the next. */
  #connections(): readonly Connection[] {
    if (this.#listed !== null && this.#source.isComplete()) return this.#listed;
    this.#listed = Array.from(this.#source.list()).filter((connection) => !this.#undecided.has(connection));
    return this.#listed;
  }
}

/** Capabilities by socket: a connection URL does not change. */
const announced = new WeakMap<Connection, ReadonlySet<Capability>>();

/** Whether the socket announced the capability in its connection URL. */
export function understands(connection: Connection, capability: Capability): boolean {
  const known = announced.get(connection) ?? parseCapabilities(connection.uri);
  announced.set(connection, known);
  return known.has(capability);
}
