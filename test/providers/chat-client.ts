/** A chat client over a real socket that keeps every frame, and folds the chunks of one request. */
import type { UIMessage, UIMessageChunk } from "ai";
import { applyChunk, emptyAssistant, startFold } from "../../src/shared/apply-chunk.ts";
import { parseServerFrame, type ResponseFrame, type ServerFrame } from "../../src/shared/server-frames.ts";
import { CHAT_MESSAGE_TYPES } from "../../src/shared/wire-words.ts";

/** What a client is told when it asks for the stream that runs. */
const answers: ReadonlySet<string> = new Set([
  CHAT_MESSAGE_TYPES.STREAM_RESUMING,
  CHAT_MESSAGE_TYPES.STREAM_RESUME_NONE,
]);

export class ChatClient {
  readonly frames: ServerFrame[] = [];
  readonly #socket: WebSocket;
  readonly #changed = new EventTarget();

  /** Connects to a conversation's URL (`http://…/agents/<agent>/<name>`). */
  static async connect(url: string): Promise<ChatClient> {
    const socket = new WebSocket(url.replace(/^http/, "ws"));
    const client = new ChatClient(socket);
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve, { once: true });
      socket.addEventListener("error", reject, { once: true });
    });
    return client;
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const frame = parseServerFrame(data);
      if (frame !== null) this.frames.push(frame);
      this.#changed.dispatchEvent(new Event("frame"));
    });
  }

  send(frame: object): void {
    this.#socket.send(JSON.stringify(frame));
  }

  submit(id: string, messages: readonly UIMessage[]): void {
    const body = JSON.stringify({ messages });
    this.send({ type: CHAT_MESSAGE_TYPES.USE_CHAT_REQUEST, id, init: { method: "POST", body } });
  }

  /** The first frame that `accepts` takes, among those that came and those that will. */
  async frame<F extends ServerFrame>(accepts: (frame: ServerFrame) => frame is F): Promise<F> {
    for (;;) {
      const found = this.frames.find(accepts);
      if (found) return found;
      await new Promise((resolve) => this.#changed.addEventListener("frame", resolve, { once: true }));
    }
  }

  /** Asks for what runs, and takes over the stream of a request, running or ended. Gives the type of the answer. */
  async attach(id: string): Promise<string> {
    this.send({ type: CHAT_MESSAGE_TYPES.STREAM_RESUME_REQUEST, probeId: "attach" });
    const { type } = await this.frame((frame): frame is ServerFrame => answers.has(frame.type) && "probeId" in frame);
    this.send({ type: CHAT_MESSAGE_TYPES.STREAM_RESUME_ACK, id });
    return type;
  }

  /** The frame that ends a request. */
  end(id: string): Promise<ResponseFrame> {
    return this.frame(
      (frame): frame is ResponseFrame =>
        frame.type === CHAT_MESSAGE_TYPES.USE_CHAT_RESPONSE && frame.id === id && frame.done,
    );
  }

  /** The frames of a request that carry chunks, in the order in which they came. */
  chunkFrames(id: string): ResponseFrame[] {
    return this.frames.filter(
      (frame): frame is ResponseFrame =>
        frame.type === CHAT_MESSAGE_TYPES.USE_CHAT_RESPONSE && frame.id === id && !frame.done && frame.body !== "",
    );
  }

  /** The messages of the newest full list. */
  list(): readonly UIMessage[] {
    const frame = this.frames.findLast((frame) => frame.type === CHAT_MESSAGE_TYPES.CHAT_MESSAGES);
    return frame?.messages ?? [];
  }

  /** The message that a request's chunks make. */
  folded(id: string): UIMessage {
    const chunks = this.chunkFrames(id).map(({ body }) => JSON.parse(body) as UIMessageChunk);
    return chunks.reduce(applyChunk, startFold(emptyAssistant(""))).message;
  }

  close(): void {
    this.#socket.close();
  }
}
