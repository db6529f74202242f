/** A client that comes back: however often its socket dies, it asks what became of its request until it knows. */
import type { ResponseFrame, ServerFrame } from "../../src/shared/wire.ts";
import { ChatSocket, userText } from "./chat-socket.ts";

export class ReturningClient {
  readonly #name: string;
  #socket: ChatSocket | null = null;
  /** Every terminal frame, in the order they came. */
  readonly endings: ResponseFrame[] = [];
  /** How often it had to come back. */
  returns = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** Sends a request and resolves with its ending. Throws after 50 lost sockets. */
  async ask(id: string, text: string): Promise<ResponseFrame> {
    let isSent = false;
    for (let tries = 0; tries < 50; tries++) {
      try {
        const socket = await this.#open();
        if (isSent) await this.#comeBack(socket, id, text);
        else socket.ask(id, [userText(`${id}-user`, text)]);
        isSent = true;
        const ending = await socket.ended(id);
        this.endings.push(ending);
        return ending;
      } catch (error) {
        if (!isLost(error)) throw error;
        this.#socket = null;
        this.returns++;
      }
    }
    throw new Error(`${id} never ended`);
  }

  async clear(): Promise<void> {
    (await this.#open()).clear();
  }

  async #open(): Promise<ChatSocket> {
    return (this.#socket ??= await ChatSocket.open(this.#name, { capabilities: "delta,cursor" }));
  }

  /** Asks for its request: an ending, a stream to follow, or "never seen it", which means to send it again. */
  async #comeBack(socket: ChatSocket, id: string, text: string): Promise<void> {
    const probeId = crypto.randomUUID();
    socket.send({ type: "cf_agent_stream_resume_request", probeId, requests: [id] });
    const answer = await socket.until((frame) => "probeId" in frame && frame.probeId === probeId);
    if ("unknown" in answer && answer.unknown?.includes(id) === true) {
      socket.ask(id, [userText(`${id}-user`, text)]);
      return;
    }
    if (answer.type === "cf_agent_stream_resuming") this.#ack(socket, answer);
    else
      void socket
        .until((frame) => frame.type === "cf_agent_stream_resuming")
        .then(
          (frame) => this.#ack(socket, frame),
          () => undefined,
        );
  }

  #ack(socket: ChatSocket, frame: ServerFrame): void {
    if (frame.type === "cf_agent_stream_resuming") socket.send({ type: "cf_agent_stream_resume_ack", id: frame.id });
  }
}

function isLost(error: unknown): boolean {
  return error instanceof Error && /closed with|crash|abort|refused|reset|broken/i.test(error.message);
}
