/** The state of one walk: a conversation with its visitors, and everything that was asked of it. */
import { conversation, ChatSocket, userText } from "../../harness/chat-socket.ts";
import { stage } from "../../harness/agents.ts";
import type { Random } from "../../harness/random.ts";
import { randomFrom } from "../../harness/random.ts";
import type { EventReader } from "./event-reader.ts";
import { Faults } from "./faults.ts";
import { Scripts } from "./scripts.ts";
import { Visitor } from "./visitor.ts";

/** A chat request that went out. */
export interface Sent {
  readonly id: string;
  /** The ids of its user messages that were never sent before. */
  readonly freshIds: readonly string[];
  readonly body: object;
  readonly frame: object;
  /** The socket that it went through; null over HTTP, where the response has told that it arrived. */
  readonly socket: ChatSocket | null;
  /** Whether the server must have it; false once its memory may have been lost on the way. */
  isCertain: boolean;
}

export class Walk {
  readonly name: string;
  readonly seed: number;
  readonly scripts: Scripts;
  readonly faults = new Faults();
  readonly visitors: readonly [Visitor, ...Visitor[]];
  readonly sent: Sent[] = [];
  readonly readers: EventReader[] = [];
  readonly trail: string[] = [];
  readonly cancelled = new Set<string>();
  /** Assistant message ids of all turns that were ever seen in storage. */
  readonly turnsSeen = new Set<string>();
  /** Bodies of stored messages since the last clear. */
  readonly remembered = new Map<string, string>();
  readonly checked = new Set<string>();
  hasCancelledOverHttp = false;
  /** Whether the object or its buffer may have lost memory since the last rest. */
  mayHaveCrashed = false;
  /** Whether reads of the buffer may have failed since the last rest. */
  mayHaveLostReads = false;
  /** Whether appends to it may have failed. */
  mayHaveLostAppends = false;
  step = 0;
  #ids = 0;

  constructor(name: string, seed: number) {
    this.name = name;
    this.seed = seed;
    this.scripts = new Scripts(seed);
    const lost = (): void => this.lose();
    const visitor = (kind: Visitor["kind"], label: string) => new Visitor(kind, label, lost);
    this.visitors = [
      visitor("delta", "delta-1"),
      visitor("stock", "stock-1"),
      visitor("delta", "delta-2"),
      visitor("stock", "stock-2"),
      visitor("rogue", "rogue"),
    ];
    const setup = stage(name);
    const random = randomFrom(seed);
    const joinMs = random.pick([0, 0, 16]);
    const limits = { ms: 1 + random.below(20), bytes: 1_000_000, chunks: 2 + random.below(30) };
    const contextBytes = random.pick([1_000_000, 4_000]);
    setup.model = this.scripts.model;
    setup.tools = this.scripts.tools;
    setup.buffer = (real) => this.faults.wrap(real);
    setup.configure = (self) => Object.assign(self, { joinDeltasMs: joinMs, flushLimits: limits, contextBytes });
  }

  /** Random numbers of this step: the same whatever happened before. */
  randomOfStep(): Random {
    return randomFrom(this.seed * 1_000_003 + this.step);
  }

  nextId(prefix: string): string {
    return `${prefix}${++this.#ids}`;
  }

  note(text: string): void {
    this.trail.push(`${this.step}: ${text}`);
  }

  get open(): Visitor[] {
    return this.visitors.filter(({ socket }) => socket !== null);
  }

  /** What was sent and not yet known to have arrived may be lost. */
  lose(): void {
    this.mayHaveCrashed = true;
    for (const sent of this.sent) if (sent.socket !== null) sent.isCertain = false;
  }

  /** Sends a chat request with new user messages, or ones that were sent before. */
  ask(visitor: Visitor, id: string, body: { messages: unknown[] }, freshIds: readonly string[]): void {
    const frame = { type: "cf_agent_use_chat_request", id, init: { method: "POST", body: JSON.stringify(body) } };
    this.sent.push({ id, freshIds, body, frame, socket: visitor.socket, isCertain: true });
    visitor.unfinished.set(id, { id, frame });
    visitor.witness.request(id).isOwn = true;
    visitor.send(frame);
  }

  newMessages(random: Random): { messages: unknown[]; ids: string[] } {
    const ids = Array.from({ length: random.chance(0.15) ? 2 : 1 }, () => this.nextId("u"));
    const padding = random.chance(0.08) ? ` ${"x".repeat(3_000)}` : "";
    return { ids, messages: ids.map((id) => userText(id, `text of ${id}${padding}`)) };
  }

  /** Waits until the server has handled everything that this visitor has sent; false when the socket died. */
  async sync(visitor: Visitor): Promise<boolean> {
    const { socket } = visitor;
    if (socket === null) return false;
    const id = this.nextId("sync");
    try {
      // A broken request of ours takes the way of all requests and is answered at once.
      socket.send({ type: "cf_agent_use_chat_request", id });
      await socket.ended(id);
      return true;
    } catch (error) {
      if (error instanceof Error) return false;
      throw error;
    }
  }

  observe(): string[] {
    const problems = this.visitors.flatMap((visitor) => visitor.observe());
    problems.push(...this.scripts.problems.splice(0));
    for (const reader of this.readers)
      problems.push(...reader.problems.splice(0).map((text) => `${reader.requestId} over HTTP: ${text}`));
    return problems;
  }

  /** Something that the object may interrupt by losing its memory; tried until it answers. */
  async insist<T>(body: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await body();
      } catch (error) {
        if (!(error instanceof Error) || tries === 10) throw error;
        await scheduler.wait(1);
      }
    }
  }

  get stub() {
    return conversation(this.name);
  }
}
