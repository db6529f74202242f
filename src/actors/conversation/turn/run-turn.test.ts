import type { UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { type ManualClock, manualClock } from "../../../../test/harness/manual-clock.ts";
import type { ChatResult } from "../contract.ts";
import { runTurn, type SegmentEnd, type TurnPorts } from "./run-turn.ts";

type Beat = UIMessageChunk | Promise<unknown> | Error;

const text: UIMessageChunk[] = [
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: "hi" },
  { type: "text-end", id: "t" },
];
const never = (): Promise<never> => new Promise(() => undefined);

interface Run {
  readonly emitted: UIMessageChunk[];
  readonly clock: ManualClock;
  readonly abort: AbortController;
  readonly end: Promise<SegmentEnd>;
  /** Whether the source was told that nobody reads any more. */
  isReturned: boolean;
  /** How many timers were set. */
  timers: number;
}

interface Options {
  readonly stallMs?: number;
  readonly maxChars?: number;
  readonly abort?: AbortController;
  readonly answer?: () => Promise<ChatResult> | ChatResult;
  readonly settled?: (chunk: UIMessageChunk) => Promise<void> | null;
}

function run(beats: readonly Beat[], options: Options = {}): Run {
  const { abort = new AbortController(), settled = () => null } = options;
  const clock = manualClock();
  const emitted: UIMessageChunk[] = [];
  const play = async function* (): AsyncGenerator<UIMessageChunk> {
    try {
      for (const beat of beats) {
        if (beat instanceof Error) throw beat;
        if (beat instanceof Promise) await beat;
        else yield beat;
      }
    } finally {
      started.isReturned = true;
    }
  };
  const ports: TurnPorts = {
    messageId: "m1",
    signal: abort.signal,
    clock: {
      now: clock.now,
      after: (ms, fire) => {
        started.timers++;
        return clock.after(ms, fire);
      },
    },
    limits: { stallMs: options.stallMs ?? 0, maxChars: options.maxChars ?? 1_000_000 },
    answer: options.answer ?? (() => ({ toUIMessageStream: play })),
    emit: (chunk) => {
      emitted.push(chunk);
      return { chars: JSON.stringify(chunk).length, settled: settled(chunk) };
    },
  };
  const started: Run = {
    emitted,
    clock,
    abort,
    isReturned: false,
    timers: 0,
    end: Promise.resolve().then(() => runTurn(ports)),
  };
  return started;
}

/** Lets everything that is ready run. */
const turnOfEvents = () => scheduler.wait(0);

describe("runTurn", () => {
  it("passes chunks on in order behind a start with the turn's own id", async () => {
    const { emitted, end } = run([{ type: "start", messageId: "theirs" }, ...text, { type: "finish" }]);
    expect(await end).toEqual({ kind: "completed", answered: true });
    expect(emitted).toEqual([{ type: "start", messageId: "m1" }, ...text, { type: "finish" }]);
  });

  it.each<[string, Beat[]]>([
    ["has none", text],
    ["repeats it", [{ type: "start" }, ...text, { type: "start", messageId: "again" }]],
  ])("sends exactly one start when the source %s", async (_, beats) => {
    const { emitted, end } = run(beats);
    await end;
    expect(emitted.filter((chunk) => chunk.type === "start")).toEqual([{ type: "start", messageId: "m1" }]);
    expect(emitted[0]?.type).toBe("start");
  });

  it("says that nothing was answered when there is no result", async () => {
    const { emitted, end } = run([], { answer: () => undefined });
    expect([await end, emitted]).toEqual([{ kind: "completed", answered: false }, []]);
  });

  it.each<[string, Options["answer"]]>([
    [
      "throws",
      () => {
        throw new Error("boom");
      },
    ],
    ["rejects", () => Promise.reject(new Error("boom"))],
    ["is no result", () => ({ boom: true }) as unknown as ChatResult],
    ["is a failed response", () => new Response("no", { status: 500 })],
  ])("fails, and does not reject, when the answer %s", async (_, answer) => {
    expect(await run([], answer === undefined ? {} : { answer }).end).toMatchObject({ kind: "failed" });
  });

  it("fails in the stream when the source breaks, keeping what came before", async () => {
    const { emitted, end } = run([...text, new Error("cut")]);
    expect(await end).toMatchObject({ kind: "failed", stage: "stream", error: { message: "cut" } });
    expect(emitted.slice(1)).toEqual(text);
  });

  it("reads on behind an error chunk, passes none on, and fails at the end with the first", async () => {
    const { emitted, end } = run([{ type: "error", errorText: "busy" }, ...text, { type: "error", errorText: "more" }]);
    expect(await end).toMatchObject({ kind: "failed", stage: "stream" });
    expect(emitted.map((chunk) => chunk.type)).toEqual(["start", "text-start", "text-delta", "text-end"]);
  });

  it("is aborted by an abort chunk", async () => {
    const { emitted, end } = run([...text, { type: "abort" }, ...text]);
    expect(await end).toEqual({ kind: "aborted" });
    expect(emitted.slice(1)).toEqual(text);
  });

  it("calls nothing when it is aborted before", async () => {
    const abort = new AbortController();
    abort.abort();
    let calls = 0;
    const { end } = run([], { abort, answer: () => void calls++ });
    expect([await end, calls]).toEqual([{ kind: "aborted" }, 0]);
  });

  it.each<[string, Beat[], Options]>([
    ["the answer", [], { answer: never }],
    ["the next chunk", [...text, never()], {}],
  ])("ends promptly when it is aborted while it waits for %s that never comes", async (_, beats, options) => {
    const { abort, end, clock } = run(beats, options);
    await turnOfEvents();
    abort.abort();
    expect(await end).toEqual({ kind: "aborted" });
    expect(clock.pending).toBe(0);
  });

  it("is aborted, not failed or completed, when the source fails or ends because of the signal", async () => {
    for (const last of [[], [new Error("AbortError")]]) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const started = run([...text, promise, ...last]);
      await turnOfEvents();
      started.abort.abort();
      resolve();
      expect(await started.end).toEqual({ kind: "aborted" });
    }
  });

  it("lets go of the source however it ends", async () => {
    for (const beats of [text, [...text, { type: "abort" } as const], [...text, new Error("cut")]]) {
      const started = run(beats);
      await started.end;
      await turnOfEvents();
      expect(started.isReturned).toBe(true);
    }
  });

  it("waits where emit asks it to", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const started = run(text, { settled: (chunk) => (chunk.type === "text-delta" ? promise : null) });
    await turnOfEvents();
    expect(started.emitted.map((chunk) => chunk.type)).toEqual(["start", "text-start", "text-delta"]);
    resolve();
    await started.end;
    expect(started.emitted).toHaveLength(4);
  });

  it("ends an answer at its limit of characters", async () => {
    const { emitted, end } = run([...text, ...text, ...text], { maxChars: 100 });
    expect(await end).toMatchObject({ kind: "failed", error: { code: "limit" } });
    expect(emitted.length).toBeLessThan(6);
  });
});

describe("a silent model", () => {
  it("fails after the stated time, counted from the last chunk", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const started = run([...text, promise, ...text, never()], { stallMs: 1000 });
    await turnOfEvents();
    started.clock.advance(999);
    resolve();
    await turnOfEvents();
    started.clock.advance(999);
    await turnOfEvents();
    expect(started.clock.pending).toBe(1);
    started.clock.advance(1);
    expect(await started.end).toMatchObject({
      kind: "failed",
      stage: "stream",
      error: { code: "timeout", retryable: true },
    });
  });

  it("counts before the first chunk as well", async () => {
    const started = run([], { stallMs: 1000, answer: never });
    await turnOfEvents();
    started.clock.advance(1000);
    expect(await started.end).toMatchObject({ kind: "failed", error: { code: "timeout" } });
  });

  it.each<[string, UIMessageChunk[], boolean]>([
    ["a call is open", [{ type: "tool-input-available", toolCallId: "c", toolName: "x", input: {} }], false],
    [
      "a call gave a preliminary output",
      [
        { type: "tool-input-available", toolCallId: "c", toolName: "x", input: {} },
        { type: "tool-output-available", toolCallId: "c", output: 1, preliminary: true },
      ],
      false,
    ],
    [
      "its calls are settled",
      [
        { type: "tool-input-available", toolCallId: "c", toolName: "x", input: {} },
        { type: "tool-input-available", toolCallId: "d", toolName: "x", input: {} },
        { type: "tool-output-available", toolCallId: "c", output: 1 },
        { type: "tool-output-error", toolCallId: "d", errorText: "no" },
      ],
      true,
    ],
  ])("while %s: counts as silent %s", async (_, chunks, isSilent) => {
    const started = run([...chunks, never()], { stallMs: 1000 });
    await turnOfEvents();
    expect(started.clock.pending).toBe(isSilent ? 1 : 0);
    started.clock.advance(5000);
    if (!isSilent) started.abort.abort();
    expect(await started.end).toMatchObject({ kind: isSilent ? "failed" : "aborted" });
  });

  it("is watched for by one timer, however many chunks come", async () => {
    const chunks = Array.from({ length: 500 }, (): UIMessageChunk => ({ type: "text-delta", id: "t", delta: "word " }));
    const started = run([...text, ...chunks], { stallMs: 1000 });
    await started.end;
    expect([started.emitted.length, started.timers, started.clock.pending]).toEqual([504, 1, 0]);
  });

  it("is found out also when the storage took longer than the limit before", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const started = run([...text, never()], {
      stallMs: 1000,
      settled: (chunk) => (chunk.type === "text-end" ? promise : null),
    });
    await turnOfEvents();
    started.clock.advance(1500);
    resolve();
    await turnOfEvents();
    started.clock.advance(1000);
    expect(await started.end).toMatchObject({ kind: "failed", error: { code: "timeout" } });
  });

  it("is never called silent when the limit is 0", async () => {
    const started = run([never()], { stallMs: 0 });
    await turnOfEvents();
    expect(started.clock.pending).toBe(0);
    started.abort.abort();
    await started.end;
  });
});
