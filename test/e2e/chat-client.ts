/** A chat client made of nothing but frames, over a real socket in Node: ask, collect, fold, come back. */
import type { UIMessage, UIMessageChunk } from "ai";
import { WebSocket } from "ws";
import { type ResponseFrame, type ServerFrame, serverFrameProblem } from "../../src/shared/server-frames.ts";
import { CAPABILITY_PARAM, CHAT_MESSAGE_TYPES } from "../../src/shared/wire-words.ts";

/** A request as the client keeps it until it has seen its end. */
export interface OpenRequest {
  readonly id: string;
  readonly message: UIMessage;
}

const types = new Set<string>(Object.values(CHAT_MESSAGE_TYPES));
const waitAtMostMs = 20_000;

export class ChatClient {
  /** Every chat frame so far, each valid by the schema of the wire. */
  readonly frames: ServerFrame[] = [];
  readonly #socket: WebSocket;
  readonly #waiting = new Set<() => void>();

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => this.#take(String(data)));
    socket.on("close", () => this.#wake());
    // A close follows every error, and tells it.
    socket.on("error", () => undefined);
  }

  /** Resolves once the server has said what it says to a socket that opens. */
  static async open(url: string, name: string, capabilities = "delta,cursor"): Promise<ChatClient> {
    const address = new URL(`/agents/assistant/${name}`, url.replace(/^http/, "ws"));
    if (capabilities !== "") address.searchParams.set(CAPABILITY_PARAM, capabilities);
    const client = new ChatClient(new WebSocket(address));
    await client.until((frame) => frame.type === CHAT_MESSAGE_TYPES.CHAT_MESSAGES && frame.connect === true);
    return client;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN || this.#socket.readyState === WebSocket.CONNECTING;
  }

  /** What is sent into a closed socket is lost, as in a browser. */
  send(frame: object): void {
    if (this.isOpen) this.#socket.send(JSON.stringify(frame), () => undefined);
  }

  ask({ id, message }: OpenRequest): void {
    const body = JSON.stringify({ messages: [message] });
    this.send({ type: CHAT_MESSAGE_TYPES.USE_CHAT_REQUEST, id, init: { method: "POST", body } });
  }

  /**
   * Asks what became of a request after a reconnect, as clients do: takes the terminal frame if it has ended, follows
   * its stream if one runs, waits if it is pending, and sends it again if the server has never seen it.
   * Resolves with the terminal frame and whether the server knew the request.
   */
  async comeBack(request: OpenRequest): Promise<{ end: ResponseFrame; wasKnown: boolean }> {
    const probeId = crypto.randomUUID();
    this.send({ type: CHAT_MESSAGE_TYPES.STREAM_RESUME_REQUEST, probeId, requests: [request.id] });
    const answer = await this.until((frame) => "probeId" in frame && frame.probeId === probeId);
    const wasKnown = !("unknown" in answer && answer.unknown?.includes(request.id));
    if (!wasKnown) this.ask(request);
    if (answer.type === CHAT_MESSAGE_TYPES.STREAM_PENDING) {
      const later = await this.until(
        (frame) => frame.type === CHAT_MESSAGE_TYPES.STREAM_RESUMING || isEnd(frame, request.id),
      );
      this.#follow(later);
    }
    this.#follow(answer);
    return { end: await this.ended(request.id), wasKnown };
  }

  #follow(frame: ServerFrame): void {
    if (frame.type !== CHAT_MESSAGE_TYPES.STREAM_RESUMING) return;
    this.send({ type: CHAT_MESSAGE_TYPES.STREAM_RESUME_ACK, id: frame.id });
  }

  /** The terminal frame of a request. */
  async ended(id: string): Promise<ResponseFrame> {
    return (await this.until((frame) => isEnd(frame, id))) as ResponseFrame;
  }

  /** The terminal frame of a request if it has come. */
  endOf(id: string): ResponseFrame | undefined {
    return this.frames.find((frame) => isEnd(frame, id)) as ResponseFrame | undefined;
  }

  /** The text of a request as its frames tell it; a frame whose seq it has already is left out. */
  text(id: string): string {
    let last = 0;
    let text = "";
    for (const frame of this.frames) {
      if (frame.type !== CHAT_MESSAGE_TYPES.USE_CHAT_RESPONSE || frame.id !== id || frame.done || !frame.body) continue;
      if (frame.seq !== undefined && frame.seq <= last) continue;
      last = frame.seq ?? last;
      const chunk = JSON.parse(frame.body) as UIMessageChunk;
      if (chunk.type === "text-delta") text += chunk.delta;
    }
    return text;
  }

  /** Resolves with the first frame, past or future, that passes; rejects when the socket closes or 20 s have passed. */
  async until(test: (frame: ServerFrame) => boolean): Promise<ServerFrame> {
    const deadline = Date.now() + waitAtMostMs;
    for (;;) {
      const found = this.frames.find(test);
      if (found !== undefined) return found;
      if (!this.isOpen) throw new Error("the socket closed");
      if (Date.now() >= deadline) throw new Error(`no such frame among ${JSON.stringify(this.frames.slice(-12))}`);
      await this.changed(deadline - Date.now());
    }
  }

  /** Resolves when a frame comes, the socket closes, or the time is over. */
  changed(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(wake, withinMs);
      const waiting = this.#waiting;
      function wake(): void {
        clearTimeout(timer);
        waiting.delete(wake);
        resolve();
      }
      waiting.add(wake);
    });
  }

  close(): void {
    this.#socket.terminate();
  }

  #take(text: string): void {
    if (!text.startsWith("{")) return;
    const frame = JSON.parse(text) as { type?: unknown };
    if (typeof frame.type !== "string" || !types.has(frame.type)) return;
    const problem = serverFrameProblem(frame);
    if (problem !== null) throw new Error(`a frame that is wrong in ${problem}: ${text}`);
    this.frames.push(frame as ServerFrame);
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}

function isEnd(frame: ServerFrame, id: string): boolean {
  return frame.type === CHAT_MESSAGE_TYPES.USE_CHAT_RESPONSE && frame.id === id && frame.done;
}
