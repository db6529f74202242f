import type { UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { HeldBuffer } from "../../../../test/harness/held-buffer.ts";
import { manualClock } from "../../../../test/harness/manual-clock.ts";
import { newStreamBuffer } from "../../../../test/harness/stream-buffers.ts";
import { deltaOf } from "../../../shared/join-deltas.ts";
import type { ChunkEntry, StreamEnd } from "../../stream-buffer/contract.ts";
import { DEFAULT_FLUSH_LIMITS, SegmentWriter, type FlushLimits } from "./segment-writer.ts";

const finished: StreamEnd = { kind: "finished" };
const text = (delta: string): UIMessageChunk => ({ type: "text-delta", id: "t", delta });
const textOf = (entries: readonly ChunkEntry[]) => entries.map(({ chunk }) => deltaOf(chunk) ?? "").join("");
const seqsOf = (entries: readonly ChunkEntry[]) => entries.map(({ from, to }) => [from, to]);

/** A writer over a real buffer, with the way between them in the test's hand. */
function setUp(limits: FlushLimits = DEFAULT_FLUSH_LIMITS) {
  const stub = newStreamBuffer();
  const held = new HeldBuffer(() => newStreamBuffer(stub.id));
  const clock = manualClock();
  const degraded: unknown[] = [];
  const writer = new SegmentWriter({
    streamId: "s",
    buffer: held,
    clock,
    limits,
    onDegraded: (error) => degraded.push(error),
  });
  return {
    writer,
    held,
    clock,
    degraded,
    write: (...deltas: string[]) => deltas.map((delta) => writer.write(text(delta))),
    stored: () => stub.read({ streamId: "s", after: 0 }),
    stub,
  };
}

describe("write", () => {
  it("gives out seqs from 1 and sends nothing before a limit is reached", () => {
    const { write, writer, held } = setUp();
    expect(write("a", "b", "c")).toEqual([1, 2, 3]);
    expect(held.calls).toEqual([]);
    expect({ last: writer.lastSeq, stored: writer.storedSeq }).toEqual({ last: 3, stored: 0 });
  });

  it("sends one batch when its first chunk is old enough", async () => {
    const { write, held, clock, stored } = setUp();
    write("a");
    clock.advance(249);
    write("b");
    expect(held.calls).toEqual([]);
    clock.advance(1);
    expect(held.calls.map(({ entries }) => seqsOf(entries))).toEqual([[[1, 2]]]);
    await held.releaseAll();
    expect(await stored()).toMatchObject({ lastSeq: 2, end: null });
  });

  it.each<[string, FlushLimits, number]>([
    ["chunks", { ...DEFAULT_FLUSH_LIMITS, chunks: 3 }, 3],
    ["bytes", { ...DEFAULT_FLUSH_LIMITS, bytes: 10 }, 5],
  ])("sends one batch when it has enough %s", (_, limits, count) => {
    const { write, held, clock } = setUp(limits);
    for (let seq = 1; seq < count; seq++) write("ab");
    expect(held.calls).toEqual([]);
    write("ab");
    expect(held.calls.map(({ entries }) => seqsOf(entries))).toEqual([[[1, count]]]);
    expect(clock.pending).toBe(0);
  });

  it("keeps the chunk as it was written, as JSON says it", async () => {
    const { writer, held, stored } = setUp();
    const output = { rows: [1], at: new Date(0), page: new URL("https://example.com"), format: () => "text" };
    writer.write({ type: "tool-output-available", toolCallId: "c", output });
    output.rows.push(2);
    const flushed = writer.flush();
    await held.releaseAll();
    await flushed;
    const expected = { rows: [1], at: "1970-01-01T00:00:00.000Z", page: "https://example.com/" };
    expect((await stored()).entries).toEqual([
      { from: 1, to: 1, chunk: { type: "tool-output-available", toolCallId: "c", output: expected } },
    ]);
  });

  it("refuses what is not JSON and gives it no seq", () => {
    const { writer } = setUp();
    expect(() => writer.write({ type: "tool-output-available", toolCallId: "c", output: 1n })).toThrow(TypeError);
    expect(writer.lastSeq).toBe(0);
  });
});

describe("batches", () => {
  it("go one at a time; what is written meanwhile is the next one", async () => {
    const { write, writer, held, stored } = setUp();
    write("a");
    const flushed = [writer.flush()];
    for (const delta of ["b", "c", "d"]) {
      write(delta);
      flushed.push(writer.flush());
    }
    expect(held.calls).toHaveLength(1);
    await held.releaseAll();
    await Promise.all(flushed);
    expect(held.calls.map(({ entries }) => seqsOf(entries))).toEqual([[[1, 1]], [[2, 4]]]);
    expect(textOf((await stored()).entries)).toBe("abcd");
  });

  it("are not sent behind a batch before a limit is reached", async () => {
    const { write, writer, held, clock } = setUp();
    write("a");
    const flushed = writer.flush();
    write("b");
    await held.releaseAll();
    await flushed;
    expect(held.calls).toHaveLength(1);
    expect(writer.storedSeq).toBe(1);
    clock.advance(250);
    expect(held.calls).toHaveLength(2);
  });

  it("are few, however fast 5,000 chunks come, and backpressure says when to wait", async () => {
    const { write, writer, held, stored } = setUp();
    let waits = 0;
    for (let seq = 1; seq <= 5_000; seq++) {
      write(`${seq % 10}`);
      const pressure = writer.backpressure();
      if (pressure === null) continue;
      waits++;
      expect(held.waiting).toBe(1);
      await held.release();
      await pressure;
      expect(writer.backpressure()).toBeNull();
    }
    const ended = writer.end(finished);
    await held.releaseAll();
    await ended;
    expect({ calls: held.calls.length, waits }).toEqual({ calls: 20, waits: 18 });
    expect(textOf((await stored()).entries)).toBe("1234567890".repeat(500));
  });

  it("leave no timer behind when everything is stored", async () => {
    const { write, writer, held, clock } = setUp();
    write("a");
    expect(clock.pending).toBe(1);
    const flushed = writer.flush();
    await held.releaseAll();
    await flushed;
    expect(clock.pending).toBe(0);
  });
});

describe("flush", () => {
  it("resolves at once when there is nothing to store", async () => {
    const { writer, held } = setUp();
    await writer.flush();
    expect(held.calls).toEqual([]);
    expect(writer.backpressure()).toBeNull();
  });
});

describe("end", () => {
  it("takes one call together with what is pending", async () => {
    const { write, writer, held, stored } = setUp();
    write("a", "b");
    const ended = writer.end(finished);
    await held.releaseAll();
    await ended;
    expect(held.calls).toHaveLength(1);
    expect(await stored()).toMatchObject({ lastSeq: 2, end: finished });
    expect(writer.tail(0)).toEqual([]);
  });

  it("waits behind the batch under way, and the first end counts", async () => {
    const { write, writer, held, stored } = setUp();
    write("a");
    const all = [writer.flush(), writer.end({ kind: "failed", message: "no luck" }), writer.end(finished)];
    await held.releaseAll();
    await Promise.all(all);
    expect(held.calls.map(({ entries, end }) => [seqsOf(entries), end?.kind])).toEqual([
      [[[1, 1]], undefined],
      [[], "failed"],
    ]);
    expect((await stored()).end).toEqual({ kind: "failed", message: "no luck" });
  });

  it("leaves no place for a chunk behind it", async () => {
    const { write, writer, held, stored, clock } = setUp();
    const ended = writer.end(finished);
    expect(write("late")).toEqual([1]);
    await held.releaseAll();
    await ended;
    expect(await stored()).toMatchObject({ lastSeq: 0, end: finished });
    expect({ timers: clock.pending, tail: writer.tail(0) }).toEqual({ timers: 0, tail: [] });
  });
});

describe("a buffer that fails", () => {
  it.each(["request", "answer"] as const)("once is asked again, whether the %s was lost", async (loss) => {
    const { write, writer, held, stored, degraded } = setUp();
    write("a", "b");
    const ended = writer.end(finished);
    await held.release(loss);
    await held.releaseAll();
    await ended;
    expect(held.calls).toHaveLength(2);
    expect(held.calls[1]).toEqual(held.calls[0]);
    expect(await stored()).toMatchObject({ lastSeq: 2, end: finished });
    expect(degraded).toEqual([]);
  });

  it("twice is left alone, and everything that was not stored stays in memory", async () => {
    const { write, writer, held, degraded, clock } = setUp();
    write("a");
    const first = writer.flush();
    await held.release();
    await first;
    write("b", "c");
    const second = writer.flush();
    write("d");
    await held.release("request");
    await held.release("answer");
    await second;
    write("e");
    clock.advance(10_000);
    await writer.flush();
    await writer.end(finished);
    expect(degraded).toEqual([expect.objectContaining({ message: "the answer was lost" })]);
    expect({ calls: held.calls.length, timers: clock.pending, pressure: writer.backpressure() }).toEqual({
      calls: 3,
      timers: 0,
      pressure: null,
    });
    expect(writer.storedSeq).toBe(1);
    expect(seqsOf(writer.tail(0))).toEqual([[2, 5]]);
    expect(textOf(writer.tail(3))).toBe("de");
  });

  it.each([
    ["has lost the stream", async (stub: ReturnType<typeof newStreamBuffer>) => void (await stub.drop(["s"])), "gap"],
    ["has ended it", async (stub: ReturnType<typeof newStreamBuffer>) => void (await stub.fail("s", "x", 1)), "ended"],
  ])("because it %s is not asked again", async (_, harm, status) => {
    const { write, writer, held, stub, degraded } = setUp();
    write("a");
    const first = writer.flush();
    await held.releaseAll();
    await first;
    await harm(stub);
    write("b");
    const second = writer.flush();
    await held.releaseAll();
    await second;
    expect(held.calls).toHaveLength(2);
    expect(degraded).toEqual([expect.objectContaining({ message: expect.stringContaining(status) })]);
    expect(textOf(writer.tail(0))).toBe("b");
  });

  it("and refuses at once does not reject into the writer", async () => {
    const degraded: unknown[] = [];
    const buffer = {
      append: () => {
        throw new Error("no such actor");
      },
    };
    const onDegraded = (error: unknown) => degraded.push(error);
    const writer = new SegmentWriter({ streamId: "s", buffer, clock: manualClock(), onDegraded });
    writer.write(text("a"));
    await writer.flush();
    await writer.end(finished);
    expect(degraded).toHaveLength(1);
    expect(textOf(writer.tail(0))).toBe("a");
  });
});

describe("discard", () => {
  it("forgets everything, stops the timer and sends nothing more", async () => {
    const { write, writer, held, clock, degraded } = setUp();
    write("a");
    const flushed = writer.flush();
    write("b");
    writer.discard();
    expect({ timers: clock.pending, tail: writer.tail(0) }).toEqual({ timers: 0, tail: [] });
    await held.release("request");
    await held.releaseAll();
    await flushed;
    write("c");
    await writer.flush();
    await writer.end(finished);
    expect(degraded).toEqual([]);
    expect(held.calls).toHaveLength(1);
    expect({ timers: clock.pending, tail: writer.tail(0) }).toEqual({ timers: 0, tail: [] });
  });
});

describe("tail", () => {
  it("has what is under way and what waits, joined, behind a seq", async () => {
    const { write, writer, held } = setUp();
    write("a", "b");
    const flushed = writer.flush();
    write("c", "d");
    expect(seqsOf(writer.tail(0))).toEqual([[1, 4]]);
    expect(textOf(writer.tail(1))).toBe("bcd");
    expect(textOf(writer.tail(3))).toBe("d");
    expect(writer.tail(4)).toEqual([]);
    await held.releaseAll();
    await flushed;
    expect(seqsOf(writer.tail(0))).toEqual([[3, 4]]);
  });
});
