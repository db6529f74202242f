/**
 * What lies between a client and the model server, moved by hand: frames stand
 * in two queues per connection until somebody delivers them.
 */
import type { ServerFrame } from "../../shared/server-frames.ts";
import { CHAT_MESSAGE_TYPES as T } from "../../shared/wire-words.ts";
import type { ClientFrame } from "../../shared/wire.ts";
import type { ChatSocket } from "../address.ts";
import type { ModelServer } from "./model-server.ts";
import type { ServerSocket } from "./model-socket.ts";

type Listeners = {
  open: () => void;
  close: (event: { code: number }) => void;
  message: (event: { data: unknown }) => void;
};

/** What comes to the client: that the socket is open, frames, that it has closed. */
export type Arrival = ServerFrame | "open" | "close";

/** One connection. The server holds its end until it learns that the other one is gone. */
export interface Connection {
  readonly far: ServerSocket;
  readonly toServer: ClientFrame[];
  readonly toClient: Arrival[];
  /** Nothing passes any more, and neither side knows. */
  isDead: boolean;
  /** How many answers of an idle server to probes will never come. */
  swallows: number;
}

/**
 * A client's socket that reconnects, as one object. What arrives after `open`
 * is of the newest connection. After `close` it may go on to fire what was
 * under way, as a socket does that nobody listens to any more.
 */
export class Link implements ChatSocket {
  /** Connections that the client has lost and the server still holds; what was sent on them may yet get there. */
  readonly lost: Connection[] = [];
  readonly #server: ModelServer;
  readonly #hasDelta: boolean;
  readonly #listeners: Partial<Listeners> = {};
  #connection: Connection | null = null;
  #isOpen = false;
  #isClosed = false;

  constructor(server: ModelServer, hasDelta: boolean) {
    this.#server = server;
    this.#hasDelta = hasDelta;
  }

  get connection(): Connection | null {
    return this.#connection;
  }

  /** Whether the client has closed it for good. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** A connection reaches the server; the client will learn of it. One that was there before is lost without a word. */
  dial(): void {
    if (this.#isClosed) return;
    this.#lose();
    const toClient: Arrival[] = ["open"];
    const send = (frame: ServerFrame) => void toClient.push(frame);
    const far: ServerSocket = { send, hasDelta: this.#hasDelta, session: { kind: "live" } };
    this.#connection = { far, toServer: [], toClient, isDead: false, swallows: 0 };
    this.#server.connect(far);
  }

  /** The client loses the connection and knows it; what was coming is gone. */
  drop(code = 1006): void {
    if (this.#connection === null) return;
    this.#lose();
    this.#listeners.close?.({ code });
  }

  /** The server's end is gone; the client learns of it behind what was sent before. */
  hangUp(): void {
    if (this.#connection === null) return;
    this.#server.disconnect(this.#connection.far);
    this.#connection.toServer.length = 0;
    this.#connection.toClient.push("close");
  }

  /** The server learns that a connection is gone; what was still on its way is gone too. */
  forgetLost(): void {
    const gone = this.lost.shift();
    if (gone !== undefined) this.#server.disconnect(gone.far);
  }

  deliverToServer(connection = this.#connection): void {
    if (connection === null || connection.isDead) return;
    const frame = connection.toServer.shift();
    if (frame && this.#server.sockets.has(connection.far)) this.#server.receive(connection.far, frame);
  }

  deliverToClient(): void {
    if (this.#connection === null || this.#connection.isDead) return;
    const arrival = this.#connection.toClient.shift();
    if (arrival === "open") {
      this.#isOpen = true;
      this.#listeners.open?.();
    } else if (arrival === "close") this.drop();
    else if (arrival?.type === T.STREAM_RESUME_NONE && this.#connection.swallows > 0) this.#connection.swallows--;
    else if (arrival !== undefined) this.#listeners.message?.({ data: JSON.stringify(arrival) });
  }

  send(data: string): void {
    if (this.#isOpen && !this.#isClosed) this.#connection?.toServer.push(JSON.parse(data) as ClientFrame);
  }

  close(): void {
    this.#isClosed = true;
  }

  /** The client gives the connection up; the schedule makes the next one. */
  reconnect(): void {
    this.drop();
  }

  addEventListener<K extends keyof Listeners>(type: K, listener: Listeners[K]): void {
    this.#listeners[type] = listener;
  }

  #lose(): void {
    if (this.#connection !== null) this.lost.push(this.#connection);
    this.#connection = null;
    this.#isOpen = false;
  }
}
