/**
 * Random writes, flushes, waits, lost calls and dead actors on a segment's
 * writer. After each step, what the buffer has and what the writer's tail has
 * are together everything that was written, from any seq.
 */
import { evictDurableObject } from "cloudflare:test";
import type { UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { SegmentWriter } from "../../src/actors/conversation/turn/segment-writer.ts";
import type { ChunkEntry } from "../../src/actors/stream-buffer/contract.ts";
import { deltaOf } from "../../src/shared/join-deltas.ts";
import { HeldBuffer } from "../harness/held-buffer.ts";
import { manualClock } from "../harness/manual-clock.ts";
import { randomFrom, type Random } from "../harness/random.ts";
import { seeds } from "../harness/seeds.ts";
import { newStreamBuffer } from "../harness/stream-buffers.ts";

const STEPS = 60;

describe("buffer and tail together are what was written", () => {
  it.each(seeds(10))("seed %i", async (seed) => {
    const world = newWorld(seed);
    for (let step = 0; step < STEPS; step++) {
      await anyStep(world);
      await check(world);
    }
    const ended = world.writer.end({ kind: "finished" });
    await world.held.releaseAll();
    await ended;
    await check(world);
    expect(world.clock.pending).toBe(0);
    if (world.degraded.length === 0) expect(world.writer.storedSeq).toBe(world.writer.lastSeq);
  });
});

type World = ReturnType<typeof newWorld>;

function newWorld(seed: number) {
  const stub = newStreamBuffer();
  const held = new HeldBuffer(() => newStreamBuffer(stub.id));
  const clock = manualClock();
  const degraded: unknown[] = [];
  const limits = { ms: 250, bytes: 200, chunks: 12 };
  const onDegraded = (error: unknown) => degraded.push(error);
  const writer = new SegmentWriter({ streamId: "s", buffer: held, clock, limits, onDegraded });
  const written: string[] = [];
  return { random: randomFrom(seed), stub, held, clock, degraded, writer, written };
}

async function anyStep({ random, writer, written, held, clock, stub }: World): Promise<void> {
  const dice = random.below(100);
  if (dice < 60) {
    for (let count = random.below(8); count > 0; count--) {
      const chunk = anyChunk(random);
      written.push(textOf(chunk));
      expect(writer.write(chunk)).toBe(written.length);
    }
  } else if (dice < 70) void writer.flush();
  else if (dice < 78) clock.advance(random.below(400));
  else if (dice < 95) await held.release(random.chance(0.15) ? random.pick(["request", "answer"]) : null);
  else await evictDurableObject(stub);
}

async function check({ random, stub, writer, written, degraded }: World): Promise<void> {
  const after = random.below(written.length + 1);
  const { entries } = await newStreamBuffer(stub.id).read({ streamId: "s", after });
  const tail = writer.tail(entries.at(-1)?.to ?? after);
  const all = [...entries, ...tail];
  expect(all.map((entry) => textOf(entry.chunk)).join("")).toBe(written.slice(after).join(""));
  expect(gapsOf(all, after)).toEqual([]);
  expect(degraded.length).toBeLessThanOrEqual(1);
}

/** Entries that do not follow the one before. */
const gapsOf = (entries: readonly ChunkEntry[], after: number) =>
  entries.filter((entry, at) => entry.from !== (entries[at - 1]?.to ?? after) + 1);

function textOf(chunk: UIMessageChunk): string {
  return deltaOf(chunk) ?? JSON.stringify(chunk);
}

function anyChunk(random: Random): UIMessageChunk {
  if (random.chance(0.15))
    return { type: "tool-input-available", toolCallId: "c", toolName: "t", input: random.below(9) };
  return {
    type: "text-delta",
    id: random.pick(["t", "t", "u"]),
    delta: "é😀x".slice(random.below(4)).repeat(random.below(9)),
  };
}
