/**
 * A WebSocket that is tried again whenever it is lost, until it is closed.
 *
 *   attempt ──open──▶ open ──lost──▶ wait ──▶ attempt …
 *      └── lost, or 10 s without an answer ──▶ wait, longer each time
 *
 * It keeps nothing to send for later: the client knows best what is still due.
 */
import type { ChatSocket, SocketListeners } from "./address.ts";

/** An attempt that has not opened by then is given up. */
const ATTEMPT_MS = 10_000;
const LONGEST_DELAY_MS = 10_000;
/** A link that held this long was a good one: the next loss counts as the first. */
const GOOD_MS = 5_000;

/** How long to wait after so many losses in a row, from 1: 0.5 to 1 s at first, half as long again each time, 10 s at most. */
export function reconnectDelayMs(losses: number, random: number): number {
  return Math.min(500 * (1 + random) * 1.5 ** (losses - 1), LONGEST_DELAY_MS);
}

/** The part of a `WebSocket` that is used. */
export type Attempt = Pick<WebSocket, "send" | "close" | "readyState" | "addEventListener">;

export class ReconnectingSocket implements ChatSocket {
  readonly #begin: () => Attempt;
  readonly #listeners: { [K in keyof SocketListeners]: SocketListeners[K][] } = { open: [], close: [], message: [] };
  #attempt: Attempt | null = null;
  #losses = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `begin` makes one attempt: a new WebSocket. */
  constructor(begin: () => Attempt) {
    this.#begin = begin;
    this.#try();
  }

  /** Sends while the link is open; otherwise nothing. */
  send(data: string): void {
    if (this.#attempt?.readyState === 1) this.#attempt.send(data);
  }

  /** Closes for good. Nobody hears of it. */
  close(): void {
    this.#give();
  }

  /** Gives up the connection, or the attempt, and makes the next attempt at once. */
  reconnect(): void {
    this.#onLost(1006, 0);
  }

  addEventListener<K extends keyof SocketListeners>(type: K, listener: SocketListeners[K]): void {
    this.#listeners[type].push(listener);
  }

  #try(): void {
    const attempt = this.#begin();
    this.#attempt = attempt;
    const isCurrent = () => this.#attempt === attempt;
    attempt.addEventListener("open", () => isCurrent() && this.#onOpen());
    attempt.addEventListener("close", ({ code }) => isCurrent() && this.#onLost(code));
    attempt.addEventListener("message", ({ data }) => isCurrent() && this.#onMessage(data));
    this.#timer = setTimeout(() => this.#onLost(1006), ATTEMPT_MS);
  }

  #onOpen(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.#losses = 0), GOOD_MS);
    for (const listener of this.#listeners.open) listener();
  }

  #onMessage(data: unknown): void {
    for (const listener of this.#listeners.message) listener({ data });
  }

  /** The next attempt is due before anybody hears of the loss, so that who hears may close it. */
  #onLost(code: number, delayMs = reconnectDelayMs(++this.#losses, Math.random())): void {
    this.#give();
    this.#timer = setTimeout(() => this.#try(), delayMs);
    for (const listener of this.#listeners.close) listener({ code });
  }

  /** The code has a script in Node end now: it waits for the server to close a socket that was closed without one. */
  #give(): void {
    clearTimeout(this.#timer);
    const attempt = this.#attempt;
    this.#attempt = null;
    attempt?.close(1000);
  }
}
