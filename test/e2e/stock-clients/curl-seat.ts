/**
 * A client made of curl: each step is one command line, and what stands in the server-sent events is all it goes by.
 * When curl says that the connection broke, the next one goes on behind the last event.
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { UIMessage, UIMessageChunk } from "ai";
import { asLine, type Seat } from "./seat.ts";

/** How curl ended when the other side was away or went away: no connection, it stopped short, nothing came, a reset. */
const brokenConnection = new Set([7, 18, 52, 56]);

export class CurlSeat implements Seat {
  readonly #url: string;
  readonly #problems: string[] = [];
  readonly #everShown = new Set<string>();
  #shown: readonly string[] = [];
  #following: ChildProcess | null = null;
  #lastEventId = 0;

  private constructor(url: string) {
    this.#url = url;
  }

  /** `url`: that of the conversation. */
  static async open(url: string): Promise<CurlSeat> {
    const seat = new CurlSeat(url);
    await seat.#come();
    return seat;
  }

  list(): Promise<readonly string[]> {
    return Promise.resolve(this.#shown);
  }

  everShown(): Promise<readonly string[]> {
    return Promise.resolve([...this.#everShown]);
  }

  isBusy(): Promise<boolean> {
    return Promise.resolve(this.#following !== null);
  }

  problems(): readonly string[] {
    return this.#problems;
  }

  send(text: string): Promise<void> {
    const message: UIMessage = { id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text }] };
    this.#show([...this.#shown, asLine(message)]);
    const json = ["-H", "content-type: application/json", "--data-raw", JSON.stringify({ messages: [message] })];
    this.#follow([...json, `${this.#url}/chat`]);
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    await this.#once(["-X", "DELETE", `${this.#url}/chat/x/stream`]);
  }

  async clear(): Promise<void> {
    await this.#once(["-X", "DELETE", `${this.#url}/chat`]);
    this.#show([]);
  }

  async reload(): Promise<void> {
    await this.close();
    this.#everShown.clear();
    await this.#come();
  }

  close(): Promise<void> {
    this.#following?.kill();
    this.#following = null;
    return Promise.resolve();
  }

  async #come(): Promise<void> {
    await this.#load();
    this.#follow([`${this.#url}/chat/x/stream`]);
  }

  async #load(): Promise<void> {
    const messages = JSON.parse(await this.#once([`${this.#url}/get-messages`])) as UIMessage[];
    this.#show(messages.map(asLine));
  }

  /** Reads a stream from its beginning, or from where the last one broke. */
  #follow(args: readonly string[], lastEventId = 0): void {
    this.#lastEventId = lastEventId;
    const child = run(args);
    this.#following = child;
    let rest = "";
    let hasBegun = false;
    child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
      const events = (rest + piece).split("\n\n");
      rest = events.pop() ?? "";
      hasBegun ||= events.length > 0;
      if (this.#following === child) for (const event of events) this.#take(event);
    });
    child.once("close", (code) => {
      if (this.#following === child) void this.#ended(code ?? -1, hasBegun);
    });
  }

  async #ended(code: number, hasBegun: boolean): Promise<void> {
    if (brokenConnection.has(code)) return this.#goOn();
    if (code !== 0) this.#problems.push(`curl ended with ${code}`);
    // Nothing runs: what ran before has ended since the history was read.
    if (!hasBegun) await this.#load();
    this.#following = null;
  }

  #goOn(): void {
    const after = ["-H", `last-event-id: ${this.#lastEventId}`];
    this.#follow([...after, `${this.#url}/chat/x/stream`], this.#lastEventId);
  }

  #show(lines: readonly string[]): void {
    this.#shown = lines;
    for (const line of lines) this.#everShown.add(line);
  }

  #take(event: string): void {
    const [, id, data = ""] = /^(?:id: (\d+)\n)?data: (.*)$/s.exec(event) ?? [];
    if (id !== undefined) this.#lastEventId = Number(id);
    if (data === "") this.#problems.push(`This is no event: ${event}`);
    else if (data !== "[DONE]") this.#apply(JSON.parse(data) as UIMessageChunk);
  }

  #apply(chunk: UIMessageChunk): void {
    if (chunk.type === "start") this.#show([...this.#shown, "assistant: "]);
    if (chunk.type === "text-delta") this.#show([...this.#shown.slice(0, -1), this.#shown.at(-1) + chunk.delta]);
    if (chunk.type === "error") this.#problems.push(chunk.errorText);
  }

  /** What one request answers; a failed one rejects. */
  async #once(args: readonly string[]): Promise<string> {
    const child = run(["--fail-with-body", ...args]);
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    const code = await new Promise((resolve) => child.once("close", resolve));
    if (code !== 0) throw new Error(`curl ${args.join(" ")} ended with ${String(code)}: ${text}`);
    return text;
  }
}

/** curl, without a buffer of its own and without the user's settings. */
function run(args: readonly string[]): ChildProcess {
  return spawn("curl", ["-q", "-sN", "--noproxy", "*", ...args], { stdio: ["ignore", "pipe", "inherit"] });
}
