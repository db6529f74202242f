/**
 * Which continuation is decided, which runs, and which comes after it:
 *
 *   request ─▶ pending ─activate─▶ active ─finish─▶ (nothing, or the deferred one is pending)
 *   request while pending: joins it     request while active: deferred; later ones join that
 *
 * Also keeps the connections that asked to resume while a continuation was
 * pending: whoever takes them owes each an answer.
 */
import type { ClientToolSchema } from "../shared/wire.ts";
import type { ChatConnection } from "./chat-connection.ts";

/** What a continuation runs with. */
export interface Continuation {
  readonly requestId: string;
  /** The connection whose answer asked for it. */
  readonly connectionId?: string;
  readonly clientTools?: readonly ClientToolSchema[];
  readonly body?: Readonly<Record<string, unknown>>;
}

export class ContinuationState<C extends ChatConnection = ChatConnection> {
  /** Connections to tell when the pending continuation starts or is dropped, by id. */
  readonly awaitingConnections = new Map<string, C>();
  #pending: Continuation | null = null;
  #active: Continuation | null = null;
  #deferred: Continuation | null = null;

  /** Decided, not started. */
  get pending(): Continuation | null {
    return this.#pending;
  }

  /** Running. */
  get active(): Continuation | null {
    return this.#active;
  }

  /** Runs after the active one. */
  get deferred(): Continuation | null {
    return this.#deferred;
  }

  /**
   * Asks for a continuation. `pending`: schedule it. `joined`: one that has not
   * started takes it along, keeping its request id and taking the newer tools
   * and body. `deferred`: it waits for the active one to finish.
   */
  request(continuation: Continuation): "pending" | "joined" | "deferred" {
    const isJoined = (this.#pending ?? this.#deferred) !== null;
    if (this.#pending) this.#pending = join(this.#pending, continuation);
    else if (this.#active) this.#deferred = this.#deferred ? join(this.#deferred, continuation) : continuation;
    else this.#pending = continuation;
    if (isJoined) return "joined";
    return this.#deferred ? "deferred" : "pending";
  }

  /** The pending continuation starts. `null` when there is none, or while another one runs. */
  activate(): Continuation | null {
    if (this.#active || !this.#pending) return null;
    this.#active = this.#pending;
    this.#pending = null;
    return this.#active;
  }

  /** The active continuation has ended; the deferred one is pending now and is returned to be scheduled. */
  finish(): Continuation | null {
    this.#active = null;
    if (this.#deferred) {
      this.#pending = this.#deferred;
      this.#deferred = null;
      return this.#pending;
    }
    return null;
  }

  /** Keeps a connection until the continuation starts. */
  await(connection: C): void {
    this.awaitingConnections.set(connection.id, connection);
  }

  /** A connection has closed. What it asked for goes on. */
  forget(connectionId: string): void {
    this.awaitingConnections.delete(connectionId);
  }

  /** The connections that wait, to be answered by the caller; none wait afterwards. */
  takeAwaiting(): C[] {
    const connections = [...this.awaitingConnections.values()];
    this.awaitingConnections.clear();
    return connections;
  }

  /** Drops everything; the connections that waited are returned to be told that nothing comes. */
  clearAll(): C[] {
    this.#pending = null;
    this.#active = null;
    this.#deferred = null;
    return this.takeAwaiting();
  }
}

function join(earlier: Continuation, later: Continuation): Continuation {
  return { ...earlier, ...later, requestId: earlier.requestId };
}
