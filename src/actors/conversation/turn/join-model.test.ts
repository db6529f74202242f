import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { type ManualClock, manualClock } from "../../../../test/harness/manual-clock.ts";
import { type Random, randomFrom } from "../../../../test/harness/random.ts";
import { say, ScriptedModel } from "../../../../test/harness/scripted-model.ts";
import { seeds } from "../../../../test/harness/seeds.ts";
import { joinDeltas, joiningModel, nextWindow } from "./join-model.ts";

type Part = LanguageModelV4StreamPart;
const delta = (text: string, id = "t"): Part => ({ type: "text-delta", id, delta: text });
const start: Part = { type: "text-start", id: "t" };
const end: Part = { type: "text-end", id: "t" };

/** Joins what the test hands in, and collects what is passed on. */
class Joining {
  readonly clock: ManualClock = manualClock();
  readonly out: Part[] = [];
  readonly ended: Promise<void>;
  isCancelled = false;
  #source!: ReadableStreamDefaultController<Part>;
  readonly #reader: ReadableStreamDefaultReader<Part>;

  constructor(ms = 16) {
    const source = new ReadableStream<Part>({
      start: (controller) => void (this.#source = controller),
      cancel: () => void (this.isCancelled = true),
    });
    this.#reader = joinDeltas(source, ms, this.clock).getReader();
    this.ended = this.#collect();
  }

  async give(...parts: Part[]): Promise<void> {
    for (const part of parts) this.#source.enqueue(part);
    await scheduler.wait(0);
  }

  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    await scheduler.wait(0);
  }

  close(): Promise<void> {
    this.#source.close();
    return this.ended;
  }

  fail(error: unknown): Promise<void> {
    this.#source.error(error);
    return this.ended;
  }

  async cancel(): Promise<void> {
    await this.#reader.cancel("enough");
  }

  /** The deltas passed on so far. */
  get texts(): string[] {
    return this.out.flatMap((part) => ("delta" in part ? [part.delta] : []));
  }

  async #collect(): Promise<void> {
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) return;
      this.out.push(value);
    }
  }
}

describe("joinDeltas", () => {
  it("passes the first delta at once, and joins those of one window", async () => {
    const joining = new Joining();
    await joining.give(start, delta("a"), delta("b"), delta("c"));
    expect(joining.texts).toEqual(["a"]);
    await joining.advance(15);
    expect(joining.texts).toEqual(["a"]);
    await joining.advance(1);
    expect(joining.texts).toEqual(["a", "bc"]);
    await joining.give(delta("d"), delta("e"));
    expect(joining.texts).toEqual(["a", "bc"]);
    await joining.advance(16);
    expect(joining.texts).toEqual(["a", "bc", "de"]);
  });

  it("passes a delta at once again after a window without any", async () => {
    const joining = new Joining();
    await joining.give(start, delta("a"));
    await joining.advance(16);
    expect(joining.clock.pending).toBe(0);
    await joining.give(delta("b"));
    expect(joining.texts).toEqual(["a", "b"]);
  });

  it.each<[string, Part]>([
    ["the end of the part", end],
    ["a tool call", { type: "tool-call", toolCallId: "c", toolName: "x", input: "{}" }],
    ["an error", { type: "error", error: new Error("x") }],
    ["a delta of another part", delta("z", "u")],
    ["a delta of another kind", { type: "reasoning-delta", id: "t", delta: "z" }],
    ["a delta with metadata", { ...delta("z"), providerMetadata: { p: { signature: "s" } } } as Part],
  ])("flushes what it holds before %s", async (_, part) => {
    const joining = new Joining();
    await joining.give(start, delta("a"), delta("b"), part);
    expect(joining.out.slice(0, 4)).toEqual([start, delta("a"), delta("b"), part]);
  });

  it("flushes at the end of the stream, and leaves no timer", async () => {
    const joining = new Joining();
    await joining.give(start, delta("a"), delta("b"));
    await joining.close();
    expect([joining.texts, joining.clock.pending]).toEqual([["a", "b"], 0]);
  });

  it("gives everything that came before a failure, then the failure as a part", async () => {
    const joining = new Joining();
    const error = new Error("cut");
    await joining.give(start, delta("a"), delta("b"));
    await joining.fail(error);
    expect(joining.out).toEqual([start, delta("a"), delta("b"), { type: "error", error }]);
    expect(joining.clock.pending).toBe(0);
  });

  it("cancels its source and forgets what it holds when nobody reads any more", async () => {
    const joining = new Joining();
    await joining.give(start, delta("a"), delta("b"));
    await joining.cancel();
    expect([joining.isCancelled, joining.clock.pending]).toEqual([true, 0]);
    await joining.advance(100);
    expect(joining.texts).toEqual(["a"]);
  });

  it("passes a joined delta on when it has grown large", async () => {
    const joining = new Joining();
    await joining.give(start, delta("a"), ...Array.from({ length: 20 }, () => delta("x".repeat(1000))));
    expect(joining.texts.map((text) => text.length)).toEqual([1, 17_000]);
    await joining.give(end);
    expect(joining.texts.map((text) => text.length)).toEqual([1, 17_000, 3000]);
  });

  it.each(seeds(30))("changes no text and no order (seed %i)", async (seed) => {
    const random = randomFrom(seed);
    const parts = Array.from({ length: 80 }, () => randomPart(random));
    const joining = new Joining();
    for (const part of parts) {
      await joining.give(part);
      if (random.chance(0.3)) await joining.advance(random.below(20));
    }
    await joining.close();
    expect(merged(joining.out)).toEqual(merged(parts));
    expect(joining.out.length).toBeLessThanOrEqual(parts.length);
  });
});

describe("joiningModel", () => {
  it("leaves the model alone when it is turned off or given by name", () => {
    const model = new ScriptedModel(() => say("x"));
    expect(joiningModel(model, 0, manualClock())).toBe(model);
    expect(joiningModel("provider/name", 16, manualClock())).toBe("provider/name");
  });
});

function randomPart(random: Random): Part {
  const id = random.pick(["t", "u"]);
  const type = random.pick(["text-delta", "text-delta", "reasoning-delta", "tool-input-delta"] as const);
  if (random.chance(0.8)) return { type, id, delta: random.pick(["a", "bc", "", "😀", "x".repeat(6000)]) };
  return random.pick<Part>([start, end, { type: "tool-call", toolCallId: "c", toolName: "x", input: "{}" }]);
}

/** Neighbouring deltas of one part as one: what joining must not change. */
function merged(parts: readonly Part[]): Part[] {
  const out: Part[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if ("delta" in part && last !== undefined && "delta" in last && last.type === part.type && last.id === part.id)
      out[out.length - 1] = { ...last, delta: last.delta + part.delta };
    else out.push(part);
  }
  return out;
}

describe("the window behind one that closed late", () => {
  it.each([
    ["is the least one while timers come in time", 16, false, 0, 16],
    ["does not grow by a delay that nobody sees", 16, true, 8, 16],
    ["grows by half with a late timer", 40, false, 300, 60],
    ["is at least twice the delay with a second one", 24, true, 200, 400],
    ["grows to a limit", 400, true, 1_000, 512],
    ["shrinks by a tenth when there is no delay any more", 100, true, 0, 90],
    ["never shrinks below the least one", 17, false, 0, 16],
  ])("%s", (_, ms, isBehind, lateMs, next) => {
    expect(nextWindow(16, { ms, isBehind }, lateMs)).toEqual({ ms: next, isBehind: lateMs > 8 });
  });

  it("is the one that was asked for when that is larger than the limit", () => {
    expect(nextWindow(600, { ms: 600, isBehind: true }, 1_000).ms).toBe(600);
  });
});
