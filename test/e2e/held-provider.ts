/**
 * A model provider in the test's hand: it speaks OpenAI's chat completions, and
 * each call waits for the test to say what comes next. Nothing depends on time.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** One call of the model. */
export class HeldAnswer {
  readonly #response: ServerResponse;
  /** Resolves when the other side hangs up before the answer has ended. */
  readonly cancelled: Promise<void>;
  /** The messages of the call, as they came over the wire. */
  readonly prompt: Promise<readonly { readonly role: string; readonly content: unknown }[]>;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#response = response;
    this.prompt = json(request).then((body) => (body as { messages: [] }).messages);
    // A call that breaks off before its end has no prompt; whoever asks for it is told.
    this.prompt.catch(() => undefined);
    this.cancelled = new Promise((resolve) => {
      response.once("close", () => (response.writableFinished ? undefined : resolve()));
    });
  }

  say(content: string): void {
    this.sayAll([content]);
  }

  /** Says everything in one go, a delta each. */
  sayAll(contents: readonly string[]): void {
    this.#write(...contents.map((content) => chunkOf({ content }, null)));
  }

  /** Thinks aloud, in the form of servers that stream reasoning. */
  think(reasoning_content: string): void {
    this.#write(chunkOf({ reasoning_content }, null));
  }

  /** Calls a tool, which ends the step. */
  call(name: string, input: object): void {
    const call = {
      index: 0,
      id: `call-${name}`,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    };
    this.#write(chunkOf({ tool_calls: [call] }, null));
    this.end("tool_calls");
  }

  end(reason: "stop" | "tool_calls" = "stop"): void {
    this.#write(chunkOf({}, reason));
    this.#response.end("data: [DONE]\n\n");
  }

  /** Ends in the middle, without a word. */
  breakOff(): void {
    this.#response.destroy();
  }

  #write(...chunks: readonly object[]): void {
    if (!this.#response.headersSent) this.#response.writeHead(200, { "content-type": "text/event-stream" });
    this.#response.write(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(""));
  }
}

function chunkOf(delta: object, finish_reason: string | null): object {
  const choices = [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason }];
  return { id: "held", object: "chat.completion.chunk", created: 0, model: "held", choices };
}

export class HeldProvider {
  readonly #server: Server;
  readonly #calls: HeldAnswer[] = [];
  readonly #waiting: ((answer: HeldAnswer) => void)[] = [];

  constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => {
      const answer = new HeldAnswer(request, response);
      const next = this.#waiting.shift();
      if (next) next(answer);
      else this.#calls.push(answer);
    });
  }

  static async start(): Promise<HeldProvider> {
    const server = createServer();
    const provider = new HeldProvider(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return provider;
  }

  /** The variables that make the app's Worker talk to this provider. */
  get vars(): Record<string, string> {
    const { port } = this.#server.address() as AddressInfo;
    return { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_MODEL: "held" };
  }

  /** The next call of the model, in order of arrival. */
  next(): Promise<HeldAnswer> {
    const call = this.#calls.shift();
    return call ? Promise.resolve(call) : new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Breaks off the calls that nobody took, and takes none for those who wait: the next test begins from nothing. */
  reset(): void {
    for (const call of this.#calls.splice(0)) call.breakOff();
    this.#waiting.splice(0);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
