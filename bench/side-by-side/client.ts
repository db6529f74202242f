/** One socket of a client in Node, and what it has heard. */
import { WebSocket } from "ws";
import type { Dialect } from "./dialects.ts";

export class Client {
  readonly #socket: WebSocket;
  readonly #dialect: Dialect;
  readonly #heard = { text: "", deltas: 0, ends: 0, lists: 0, listed: 0 };
  #wake: () => void = () => undefined;

  private constructor(url: string, dialect: Dialect) {
    this.#dialect = dialect;
    this.#socket = new WebSocket(url, { perMessageDeflate: false });
    this.#socket.on("message", (data) => this.#take(String(data)));
    this.#socket.on("close", () => this.#wake());
  }

  /** Connects, and resolves when the socket is open. A running stream that is offered is taken. */
  static async open(url: string, dialect: Dialect): Promise<Client> {
    const client = new Client(url.replace(/^http/, "ws"), dialect);
    await new Promise<void>((resolve, reject) => {
      client.#socket.once("open", resolve);
      client.#socket.once("error", reject);
    });
    return client;
  }

  /** The text of the deltas since the last question. */
  get text(): string {
    return this.#heard.text;
  }

  /** How many frames with a delta came since the last question. */
  get deltas(): number {
    return this.#heard.deltas;
  }

  /** How many messages the last list had. */
  get listed(): number {
    return this.#heard.listed;
  }

  ask(id: string, text: string): void {
    Object.assign(this.#heard, { text: "", deltas: 0, ends: 0 });
    this.#socket.send(this.#dialect.ask(id, text));
  }

  firstDelta(): Promise<void> {
    return this.#until(() => this.#heard.deltas > 0);
  }

  ended(): Promise<void> {
    return this.#until(() => this.#heard.ends > 0);
  }

  list(): Promise<void> {
    return this.#until(() => this.#heard.lists > 0);
  }

  hasText(length: number): Promise<void> {
    return this.#until(() => this.#heard.text.length >= length);
  }

  /** Says goodbye. Some servers do not answer that, so the socket is cut soon after. */
  close(): void {
    this.#socket.close();
    setTimeout(() => this.#socket.terminate(), 50);
  }

  #take(frame: string): void {
    const heard = this.#dialect.hear(frame);
    switch (heard.kind) {
      case "delta":
        this.#heard.text += heard.text;
        this.#heard.deltas++;
        break;
      case "end":
        this.#heard.ends++;
        break;
      case "list":
        this.#heard.lists++;
        this.#heard.listed = heard.messages;
        break;
      case "offer":
        this.#socket.send(heard.take);
        break;
      case "other":
        return;
      default:
        heard satisfies never;
    }
    this.#wake();
  }

  async #until(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      if (this.#socket.readyState !== WebSocket.OPEN)
        throw new Error("The socket closed before it heard what it waits for.");
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
