/**
 * Random appends, repeats, gaps, ends, drops and reads on the chunk log,
 * against a list in memory. A failed test's name tells its seed; `FUZZ_SEED=<n>` replays it.
 */
import type { UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { append, drop, read } from "../../src/actors/stream-buffer/chunk-log.ts";
import type { AppendResult, ChunkEntry, StreamEnd } from "../../src/actors/stream-buffer/contract.ts";
import { entriesAfter, entryOf, isSoundEntry, joinEntries } from "../../src/actors/stream-buffer/frames.ts";
import type { Database } from "../../src/shared/platform/database.ts";
import { deltaOf, withDelta } from "../../src/shared/join-deltas.ts";
import { randomFrom, type Random } from "../harness/random.ts";
import { seeds } from "../harness/seeds.ts";
import { inStreamBuffer } from "../harness/stream-buffers.ts";

const STEPS = 150;

/** What a stream should hold: its chunks by seq (from 1) and its end. */
interface Model {
  chunks: UIMessageChunk[];
  end: StreamEnd | null;
}

describe("the chunk log agrees with a list in memory", () => {
  it.each(seeds(12))("seed %i", (seed) =>
    inStreamBuffer((db) => {
      const random = randomFrom(seed);
      const models = new Map<string, Model>();
      for (let step = 0; step < STEPS; step++) {
        const streamId = random.pick(["a", "b", "c"]);
        const model = models.get(streamId) ?? { chunks: [], end: null };
        models.set(streamId, model);
        if (random.chance(0.6)) checkAppend(db, streamId, model, random);
        else if (random.chance(0.95)) checkRead(db, streamId, model, random);
        else {
          drop(db, [streamId]);
          models.delete(streamId);
        }
      }
      for (const [streamId, model] of models) checkRead(db, streamId, model, random);
    }),
  );
});

function checkAppend(db: Database, streamId: string, model: Model, random: Random): void {
  const { chunks } = model;
  const overlap = Math.min(chunks.length, random.chance(0.3) ? random.below(8) : 0);
  const gap = random.chance(0.1) ? 1 + random.below(3) : 0;
  const added = Array.from({ length: random.below(12) }, () => anyChunk(random));
  const from = added.length > 0 && gap > 0 ? chunks.length + gap : chunks.length - overlap;
  const all = [...chunks.slice(from), ...added];
  const end = random.chance(0.03) ? anyEnd(random) : undefined;
  const entries = all.map((chunk, at) => entryOf(from + 1 + at, chunk));
  const sent = random.chance(0.7) ? joinEntries(entries, 1 + random.below(200)) : entries;
  const result = append(db, { streamId, entries: sent, atMs: 1, ...(end && { end }) });
  expect(result).toEqual(expected(model, from, all, end));
  if (result.status !== "stored" || model.end) return;
  chunks.push(...all.slice(chunks.length - from));
  model.end = end ?? null;
}

function expected(model: Model, from: number, all: readonly unknown[], end: StreamEnd | undefined): AppendResult {
  const lastSeq = model.chunks.length;
  const isNew = from + all.length > lastSeq;
  const isOtherEnd = end !== undefined && JSON.stringify(end) !== JSON.stringify(model.end);
  if (model.end) return { status: isNew || isOtherEnd ? "ended" : "stored", lastSeq };
  if (isNew && from > lastSeq) return { status: "gap", lastSeq };
  return { status: "stored", lastSeq: Math.max(lastSeq, from + all.length) };
}

/** Pages from a random seq to the end; the pages say just what the model says, delta for delta. */
function checkRead(db: Database, streamId: string, model: Model, random: Random): void {
  const start = random.below(model.chunks.length + 2);
  const entries: ChunkEntry[] = [];
  for (let after = start, more = true; more; after = entries.at(-1)?.to ?? after) {
    const page = read(db, { streamId, after, maxBytes: random.pick([1, 100, 1_000, 300_000]) });
    expect({ lastSeq: page.lastSeq, end: page.end }).toEqual({ lastSeq: model.chunks.length, end: model.end });
    expect(page.entries.length > 0 || !page.more).toBe(true);
    entries.push(...page.entries);
    ({ more } = page);
  }
  expect(entries.every(isSoundEntry)).toBe(true);
  expect(JSON.stringify(apart(entries)) === JSON.stringify(model.chunks.slice(start))).toBe(true);
}

/** The chunks of `entries`, one per seq, joined ones taken apart by asking for what is behind each seq. */
function apart(entries: readonly ChunkEntry[]): UIMessageChunk[] {
  return entries.flatMap((entry) => {
    const delta = deltaOf(entry.chunk) ?? "";
    const starts = seqsOf(entry).map((seq) => delta.length - tailLength(entry, seq - 1));
    return entry.from === entry.to
      ? [entry.chunk]
      : starts.map((start, at) => withDelta(entry.chunk, delta.slice(start, starts[at + 1])));
  });
}

const seqsOf = ({ from, to }: ChunkEntry): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const tailLength = (entry: ChunkEntry, after: number): number =>
  entriesAfter([entry], after).reduce((sum, { chunk }) => sum + (deltaOf(chunk) ?? "").length, 0);

function anyEnd(random: Random): StreamEnd {
  return random.chance(0.5) ? { kind: "finished" } : { kind: "failed", message: random.pick(["a", "b"]) };
}

function anyChunk(random: Random): UIMessageChunk {
  const id = random.pick(["t", "t", "t", "u"]);
  if (random.chance(0.75)) return { type: "text-delta", id, delta: anyText(random) };
  if (random.chance(0.5)) return { type: "tool-input-delta", toolCallId: id, inputTextDelta: anyText(random) };
  const output = random.chance(0.02) ? anyText(random).repeat(300_000) : anyText(random).repeat(random.below(500));
  return { type: "tool-output-available", toolCallId: id, output };
}

function anyText(random: Random): string {
  const alphabet: [string, ...string[]] = ["a", "é", "漢", "😀", "\ud83d", "\ude00", "\ufeff", "\u0000", '"', "\\"];
  return Array.from({ length: random.below(6) }, () => random.pick(alphabet)).join("");
}
