/**
 * Sockets between clients and the model server, flushed by hand: frames stand
 * in two queues per connection until somebody delivers them.
 */
import type { ClientFrame, ServerFrame } from "../../shared/wire.ts";
import type { ChatSocket } from "../address.ts";
import type { ModelServer, ServerSocket } from "./model-server.ts";

type Listeners = {
  open: () => void;
  close: (event: { code: number }) => void;
  message: (event: { data: unknown }) => void;
};

/** A client's socket that reconnects, as one object; each connection has its own queues. */
export class Link implements ChatSocket {
  readonly toServer: ClientFrame[] = [];
  readonly toClient: ServerFrame[] = [];
  readonly #server: ModelServer;
  readonly #listeners: Partial<Listeners> = {};
  #far: ServerSocket | null = null;

  constructor(server: ModelServer) {
    this.#server = server;
  }

  get isOpen(): boolean {
    return this.#far !== null;
  }

  open(): void {
    const toClient = this.toClient;
    this.#far = { send: (frame) => toClient.push(structuredClone(frame)), excludedFrom: null, parked: null };
    this.#server.connect(this.#far);
    this.#listeners.open?.();
  }

  /** What is under way is lost. */
  drop(code = 1006): void {
    if (this.#far) this.#server.sockets.delete(this.#far);
    this.#far = null;
    this.toServer.length = 0;
    this.toClient.length = 0;
    this.#listeners.close?.({ code });
  }

  deliverToServer(): void {
    const frame = this.toServer.shift();
    if (frame && this.#far) this.#server.receive(this.#far, frame);
  }

  deliverToClient(): void {
    const frame = this.toClient.shift();
    if (frame) this.#listeners.message?.({ data: JSON.stringify(frame) });
  }

  send(data: string): void {
    if (this.#far) this.toServer.push(JSON.parse(data) as ClientFrame);
  }

  close(): void {
    if (this.isOpen) this.drop(1000);
  }

  addEventListener<K extends keyof Listeners>(type: K, listener: Listeners[K]): void {
    this.#listeners[type] = listener;
  }
}
