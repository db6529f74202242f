/** A chat client made of nothing but frames: what a socket sees, in order. */
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import type { UIMessage, UIMessageChunk } from "ai";
import { applyChunk, emptyAssistant, startFold } from "../../src/shared/apply-chunk.ts";
import { utf8Bytes } from "../../src/shared/json-limits.ts";
import { type ResponseFrame, type ServerFrame, serverFrameProblem } from "../../src/shared/server-frames.ts";
import { CAPABILITY_PARAM } from "../../src/shared/wire-words.ts";
import type { TestConversation } from "./agents.ts";

type Namespace = DurableObjectNamespace<TestConversation>;

/** The route of a child conversation, which stands for a name in `ChatSocket.open` and `http`. */
export function childRoute(parent: string, child: string): string {
  return `${parent}/sub/test-conversation/${child}`;
}

function rootOf(name: string): string {
  return name.split("/")[0] ?? name;
}

/** The stub of a test conversation. */
export function conversation(name: string): DurableObjectStub<TestConversation> {
  return (env as unknown as { TestConversation: Namespace }).TestConversation.getByName(name);
}

export interface ConnectOptions {
  /** Announced capabilities, such as "delta,cursor". Default: none. */
  readonly capabilities?: string;
  readonly headers?: Record<string, string>;
}

export class ChatSocket {
  /** Every chat frame so far, each valid by the schema of the wire. */
  readonly frames: ServerFrame[] = [];
  /** Everything else that came: the user's own texts, the Agent's frames. */
  readonly foreign: string[] = [];
  closeCode: number | null = null;
  /** Bytes of frames in each direction, in UTF-8, the WebSocket's own framing left out. */
  readonly bytes = { sent: 0, received: 0 };
  readonly #socket: WebSocket;
  #next = Promise.withResolvers<void>();

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#take(data));
    socket.addEventListener("close", ({ code }) => {
      this.closeCode = code;
      this.#wake();
    });
    socket.accept();
  }

  static async open(name: string, options: ConnectOptions = {}): Promise<ChatSocket> {
    return ChatSocket.over(await upgrade(name, options));
  }

  /** Over an upgrade that was answered, of whatever agent. */
  static over(response: Response): ChatSocket {
    if (response.webSocket === null) throw new Error(`refused with ${response.status}`);
    return new ChatSocket(response.webSocket);
  }

  send(frame: object | string | ArrayBuffer): void {
    const data = typeof frame === "string" || frame instanceof ArrayBuffer ? frame : JSON.stringify(frame);
    this.bytes.sent += byteLength(data);
    this.#socket.send(data);
  }

  /** Sends a chat request with this list of messages; a string stands for one user message with the id `<id>-user`. */
  ask(id: string, messages: string | readonly unknown[], extra: object = {}): void {
    const list = typeof messages === "string" ? [userText(`${id}-user`, messages)] : messages;
    const body = JSON.stringify({ messages: list, ...extra });
    this.send({ type: "cf_agent_use_chat_request", id, init: { method: "POST", body } });
  }

  cancel(id: string): void {
    this.send({ type: "cf_agent_chat_request_cancel", id });
  }

  clear(): void {
    this.send({ type: "cf_agent_chat_clear" });
  }

  close(): void {
    this.#socket.close(1000, "done");
  }

  /** Resolves with the first frame, past or future, that passes. */
  async until<T extends ServerFrame>(test: (frame: ServerFrame) => frame is T): Promise<T>;
  async until(test: (frame: ServerFrame) => boolean): Promise<ServerFrame>;
  async until(test: (frame: ServerFrame) => boolean): Promise<ServerFrame> {
    for (;;) {
      const found = this.frames.find(test);
      if (found !== undefined) return found;
      if (this.closeCode !== null) throw new Error(`closed with ${this.closeCode}`);
      await this.#next.promise;
    }
  }

  /** The terminal frame of a request. */
  async ended(id: string): Promise<ResponseFrame> {
    return (await this.until(
      (frame) => frame.type === "cf_agent_use_chat_response" && frame.id === id && frame.done,
    )) as ResponseFrame;
  }

  /** The n-th chunk frame (from 1) of a request. */
  async chunk(id: string, n = 1): Promise<ResponseFrame> {
    await this.until(() => this.responses(id).filter((frame) => !frame.done && frame.body !== "").length >= n);
    return this.responses(id).filter((frame) => !frame.done && frame.body !== "")[n - 1] as ResponseFrame;
  }

  /** Resolves with the close code once the server has closed the socket. */
  async closed(): Promise<number> {
    while (this.closeCode === null) await this.#next.promise;
    return this.closeCode;
  }

  /** Resolves when this many texts that are not chat frames and pass have come. */
  async foreignCount(n: number, test: (text: string) => boolean): Promise<void> {
    while (this.foreign.filter(test).length < n) await this.#next.promise;
  }

  /** Waits until the server has answered a probe, so that everything before it has been handled. */
  async settled(): Promise<ServerFrame> {
    const probeId = crypto.randomUUID();
    this.send({ type: "cf_agent_stream_resume_request", probeId });
    return this.until((frame) => "probeId" in frame && frame.probeId === probeId);
  }

  responses(id: string): ResponseFrame[] {
    return this.frames.filter(
      (frame) => frame.type === "cf_agent_use_chat_response" && frame.id === id,
    ) as ResponseFrame[];
  }

  of<T extends ServerFrame["type"]>(type: T): Extract<ServerFrame, { type: T }>[] {
    return this.frames.filter((frame) => frame.type === type) as Extract<ServerFrame, { type: T }>[];
  }

  /** The chunks of a request, in the order they came. */
  chunks(id: string): UIMessageChunk[] {
    return this.responses(id).flatMap((frame) =>
      frame.done || frame.body === "" ? [] : [JSON.parse(frame.body) as UIMessageChunk],
    );
  }

  /** The message that the chunks of a request fold to. */
  folded(id: string): UIMessage {
    const chunks = this.chunks(id);
    const start = chunks.find((chunk) => chunk.type === "start");
    return chunks.reduce(applyChunk, startFold(emptyAssistant(start?.messageId ?? "?"))).message;
  }

  /** Something happened: whoever waits looks again. */
  #wake(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers<void>();
  }

  #take(data: string | ArrayBuffer): void {
    this.bytes.received += byteLength(data);
    const value = typeof data === "string" ? parse(data) : undefined;
    if (serverFrameProblem(value) === null) this.frames.push(value as ServerFrame);
    else this.foreign.push(typeof data === "string" ? data : "binary");
    this.#wake();
  }
}

export async function upgrade(name: string, options: ConnectOptions = {}): Promise<Response> {
  const query = options.capabilities === undefined ? "" : `?${CAPABILITY_PARAM}=${options.capabilities}`;
  const url = `http://test.local/agents/test-conversation/${name}${query}`;
  return conversation(rootOf(name)).fetch(url, { headers: { upgrade: "websocket", ...options.headers } });
}

/** Everything of the active path, as RPC gives it. */
export async function storedMessages(name: string): Promise<UIMessage[]> {
  // The stub's own type gives up on messages with tools of any shape.
  return (await conversation(name).getMessages()) as unknown as UIMessage[];
}

/** An HTTP request under the conversation's path. */
export async function http(name: string, path: string, init?: RequestInit): Promise<Response> {
  return conversation(rootOf(name)).fetch(`http://test.local/agents/test-conversation/${name}${path}`, init);
}

export function userText(id: string, text: string): UIMessage {
  return { id, role: "user", parts: [{ type: "text", text }] };
}

/** The text of a message, its text parts joined. */
export function textOf(message: UIMessage | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Loses the object's memory at once, also in the middle of a turn; sockets close, storage stays. */
export async function crash(name: string): Promise<void> {
  await runInDurableObject(conversation(name), (_, state) => state.abort("crash")).catch(() => undefined);
}

function byteLength(data: string | ArrayBuffer): number {
  return typeof data === "string" ? utf8Bytes(data) : data.byteLength;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
