/** One who asks over HTTP and reads the answer as server-sent events, or vanishes while it comes. */
import type { UIMessageChunk } from "ai";
import { applyChunk, emptyAssistant, type FoldState, startFold } from "../../../src/shared/apply-chunk.ts";
import { http } from "../../harness/chat-socket.ts";

export class EventReader {
  readonly requestId: string;
  readonly problems: string[] = [];
  status: number | null = null;
  fold: FoldState | null = null;
  /** `lost`: the object died, or the reader went away. */
  state: "reading" | "done" | "lost" = "reading";
  /** Resolves when the response has begun, or never will. */
  readonly opened: Promise<void>;
  readonly ended: Promise<void>;
  #seq: number;
  #reader: ReadableStreamDefaultReader<Uint8Array> | null = null;

  constructor(requestId: string, after: number, response: Promise<Response>) {
    this.requestId = requestId;
    this.#seq = after;
    this.opened = response.then(
      ({ status }) => void (this.status = status),
      () => undefined,
    );
    this.ended = this.#run(response).catch(() => void (this.state = "lost"));
  }

  static post(name: string, requestId: string, body: object): EventReader {
    const init = { method: "POST", headers: { "x-chat-request-id": requestId }, body: JSON.stringify(body) };
    return new EventReader(requestId, 0, http(name, "/chat", init));
  }

  static resume(name: string): EventReader {
    return new EventReader("", 0, http(name, "/chat/any/stream"));
  }

  vanish(): void {
    this.state = "lost";
    void this.#reader?.cancel().catch(() => undefined);
  }

  async #run(response: Promise<Response>): Promise<void> {
    const { status, body } = await response;
    if (status !== 200 || body === null) {
      await body?.cancel();
      this.state = "done";
      return;
    }
    this.#reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    if (this.state === "lost") return this.vanish();
    const decoder = new TextDecoder();
    let text = "";
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
      const events = text.split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) this.#take(event);
    }
    if (this.state === "reading") this.problems.push("the event stream broke off without [DONE]");
  }

  #take(event: string): void {
    const data = /^data: (.*)$/m.exec(event)?.[1] ?? "";
    if (this.state === "done") this.problems.push("an event behind [DONE]");
    if (data === "[DONE]") {
      this.state = "done";
      return;
    }
    const chunk = JSON.parse(data) as UIMessageChunk;
    const seq = Number(/^id: (\d+)$/m.exec(event)?.[1] ?? Number.NaN);
    if (chunk.type === "error" || chunk.type === "abort") return;
    if (!(seq > this.#seq)) this.problems.push(`event ${seq} (${chunk.type}) came behind ${this.#seq}`);
    this.#seq = seq;
    if ((chunk.type === "start") !== (this.fold === null)) this.problems.push(`${chunk.type} came at ${seq}`);
    const start = chunk.type === "start" ? (chunk.messageId ?? "") : "";
    this.fold = applyChunk(this.fold ?? startFold(emptyAssistant(start)), chunk);
  }
}
