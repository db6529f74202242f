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

export class Sockets {
  readonly #connections: () => Iterable<Connection>;
  // By socket and not by its id: a client that comes back has the same id while its old socket is still closing.
  readonly #sessions = new Map<Connection, Session>();
  readonly #undecided = new Set<Connection>();
  readonly #sent: { frames: number; frameBytes: number };

  /** `connections` lists the open sockets; what is broadcast is added to `sent`, once for each socket. */
  constructor(connections: () => Iterable<Connection>, sent = { frames: 0, frameBytes: 0 }) {
    this.#sent = sent;
    this.#connections = () => Array.from(connections()).filter((connection) => !this.#undecided.has(connection));
  }

  /** Keeps everything from a socket until `let`, or until it is forgotten: whether it may come in is not decided. */
  hold(connection: Connection): void {
    this.#undecided.add(connection);
  }

  /** The socket may come in. */
  let(connection: Connection): void {
    this.#undecided.delete(connection);
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
  }

  /** A frame for everybody, optionally for those that pass `include`; encoded once. */
  broadcast(frame: ServerFrame, include: (connection: Connection) => boolean = () => true): void {
    const receivers = Array.from(this.#connections()).filter(include);
    if (receivers.length === 0) return;
    const text = JSON.stringify(frame);
    for (const connection of receivers) sendText(connection, text);
    this.#sent.frames += receivers.length;
    this.#sent.frameBytes += receivers.length * utf8Bytes(text);
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
    return Array.from(this.#connections()).some((connection) => !understands(connection, capability));
  }
}

/** Whether the socket announced the capability in its connection URL. */
export function understands(connection: Connection, capability: Capability): boolean {
  return parseCapabilities(connection.uri).has(capability);
}
