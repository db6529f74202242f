import type { UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { counted } from "../../../test/harness/counted-database.ts";
import { inStreamBuffer } from "../../../test/harness/stream-buffers.ts";
import type { Database } from "../../shared/platform/database.ts";
import { append, drop, read } from "./chunk-log.ts";
import type { ChunkEntry, StreamEnd } from "./contract.ts";
import { entryOf, joinEntries } from "./frames.ts";

const finished: StreamEnd = { kind: "finished" };
const failed: StreamEnd = { kind: "failed", message: "out of luck" };
const text = (delta: string): UIMessageChunk => ({ type: "text-delta", id: "t", delta });
const tool = (output: unknown): UIMessageChunk => ({ type: "tool-output-available", toolCallId: "c", output });
const deltas = (from: number, to: number): ChunkEntry[] =>
  joinEntries(Array.from({ length: to - from + 1 }, (_, at) => entryOf(from + at, text(`<${from + at}>`))));

const add = (db: Database, entries: ChunkEntry[], end?: StreamEnd, streamId = "s") =>
  append(db, { streamId, entries, atMs: 1, ...(end && { end }) });
const rest = (db: Database, after = 0, streamId = "s") => read(db, { streamId, after });

const stored = (lastSeq: number) => ({ status: "stored", lastSeq });

/** Everything after `after`, read in pages of `maxBytes`. */
function pages(db: Database, after: number, maxBytes: number): ChunkEntry[][] {
  const page = read(db, { streamId: "s", after, maxBytes });
  return page.more
    ? [[...page.entries], ...pages(db, page.entries.at(-1)?.to ?? after, maxBytes)]
    : [[...page.entries]];
}

describe("append", () => {
  it("writes one row per batch, with the end too, and none for what it has", () =>
    inStreamBuffer((real) => {
      const { db, take } = counted(real);
      const rows = (result: unknown) => ({ result, rows: take().rowsWritten });
      expect(rows(add(db, deltas(1, 100)))).toEqual({ result: stored(100), rows: 1 });
      expect(rows(add(db, deltas(101, 200)))).toEqual({ result: stored(200), rows: 1 });
      expect(rows(add(db, deltas(51, 200)))).toEqual({ result: stored(200), rows: 0 });
      expect(rows(add(db, []))).toEqual({ result: stored(200), rows: 0 });
      expect(rows(add(db, deltas(201, 210), finished))).toEqual({ result: stored(210), rows: 1 });
      expect(rows(add(db, deltas(201, 210), finished))).toEqual({ result: stored(210), rows: 0 });
    }));

  it("keeps only what is new of a batch that overlaps", () =>
    inStreamBuffer((db) => {
      add(db, deltas(1, 3));
      expect(add(db, deltas(2, 5))).toEqual({ status: "stored", lastSeq: 5 });
      expect(rest(db).entries).toEqual(deltas(1, 5));
    }));

  it("refuses a gap and writes nothing", () =>
    inStreamBuffer((real) => {
      const { db, take } = counted(real);
      expect(add(db, deltas(2, 3), finished)).toEqual({ status: "gap", lastSeq: 0 });
      add(db, deltas(1, 1));
      take();
      expect(add(db, deltas(3, 4))).toEqual({ status: "gap", lastSeq: 1 });
      expect(take().rowsWritten).toBe(0);
      expect(rest(db).end).toBeNull();
    }));

  it("adds nothing to a stream that has ended, and keeps its first end", () =>
    inStreamBuffer((db) => {
      add(db, deltas(1, 2), failed);
      expect(add(db, deltas(3, 4))).toEqual({ status: "ended", lastSeq: 2 });
      expect(add(db, [], finished)).toEqual({ status: "ended", lastSeq: 2 });
      expect(add(db, [], { ...failed, message: "other" })).toEqual({ status: "ended", lastSeq: 2 });
      expect(add(db, deltas(1, 2), failed)).toEqual({ status: "stored", lastSeq: 2 });
      expect(rest(db)).toEqual({ entries: deltas(1, 2), lastSeq: 2, end: failed, more: false });
    }));

  it("ends a stream that has no chunk, and one whose chunks came before", () =>
    inStreamBuffer((db) => {
      expect(add(db, [], failed, "empty")).toEqual({ status: "stored", lastSeq: 0 });
      expect(rest(db, 0, "empty")).toEqual({ entries: [], lastSeq: 0, end: failed, more: false });
      add(db, deltas(1, 2));
      expect(add(db, [], finished)).toEqual({ status: "stored", lastSeq: 2 });
      expect(rest(db, 1)).toEqual({ entries: deltas(2, 2), lastSeq: 2, end: finished, more: false });
    }));

  it.each([
    ["3 MB of ASCII", "x".repeat(3_000_000)],
    ["3 MB of surrogate pairs", "a" + "😀".repeat(750_000)],
    ["2 MB of lone surrogates", "\ud83d".repeat(350_000)],
    ["byte order marks and zeros", "\ufeff\u0000".repeat(400_000)],
  ])("keeps a tool output of %s without loss", (_, output) =>
    inStreamBuffer((db) => {
      const entries = [...deltas(1, 5), entryOf(6, tool({ output })), entryOf(7, text("after"))];
      add(db, entries);
      const back = rest(db).entries;
      expect(back.map((entry) => entry.to)).toEqual([5]);
      const [big, last] = pages(db, 5, 1_000).flat();
      // Compared by hand: a failure must not print megabytes.
      expect(JSON.stringify(big) === JSON.stringify(entries[1])).toBe(true);
      expect(last).toEqual(entries[2]);
    }),
  );

  it("writes 4 MB in three rows", () =>
    inStreamBuffer((real) => {
      const { db, take } = counted(real);
      add(db, [entryOf(1, tool("x".repeat(4_000_000)))]);
      expect(take().rowsWritten).toBe(3);
    }));

  it("refuses a chunk that is not JSON", () =>
    inStreamBuffer((db) => {
      expect(() => add(db, [entryOf(1, tool(1n))])).toThrow(expect.objectContaining({ code: "bad_request" }));
      expect(rest(db).lastSeq).toBe(0);
    }));
});

describe("read", () => {
  it("knows nothing of an unknown stream", () =>
    inStreamBuffer((db) => {
      expect(rest(db, 0)).toEqual({ entries: [], lastSeq: 0, end: null, more: false });
      expect(rest(db, 7)).toEqual({ entries: [], lastSeq: 0, end: null, more: false });
    }));

  it("starts behind any seq, inside a batch and inside a joined delta", () =>
    inStreamBuffer((db) => {
      for (let from = 1; from <= 100; from += 10) add(db, deltas(from, from + 9));
      for (let after = 0; after < 100; after++) expect(rest(db, after).entries).toEqual(deltas(after + 1, 100));
      for (const after of [100, 101, 1_000]) expect(rest(db, after)).toMatchObject({ entries: [], more: false });
    }));

  it("pages within its bytes and always goes on", () =>
    inStreamBuffer((db) => {
      const chunks = Array.from({ length: 30 }, (_, at) => entryOf(at + 1, tool("x".repeat(at * 20))));
      add(db, chunks.slice(0, 20));
      for (const chunk of chunks.slice(20)) add(db, [chunk]);
      for (const maxBytes of [1, 100, 700, 2_000, 1_000_000]) {
        const read = pages(db, 0, maxBytes);
        expect(read.flat()).toEqual(chunks);
        for (const page of read.filter(({ length }) => length > 1)) {
          expect(page.reduce((sum, entry) => sum + JSON.stringify(entry).length, 0)).toBeLessThanOrEqual(maxBytes);
        }
      }
    }));

  it("costs three statements, however many batches there are", () =>
    inStreamBuffer((real) => {
      const { db, take } = counted(real);
      for (let seq = 1; seq <= 600; seq++) add(db, deltas(seq, seq));
      take();
      expect(rest(db, 0)).toMatchObject({ lastSeq: 600, more: true });
      expect(take()).toEqual({ statements: 3, rowsWritten: 0 });
      expect(pages(db, 0, 1_000_000).flat().length).toBeLessThanOrEqual(2);
    }));

  it("gives 2,500 small deltas in at most 60 entries", () =>
    inStreamBuffer((db) => {
      for (let from = 1; from <= 2_500; from += 50) add(db, deltas(from, from + 49));
      const page = rest(db);
      expect(page.more).toBe(false);
      expect(page.entries.length).toBeLessThanOrEqual(60);
    }));
});

describe("drop", () => {
  it("forgets the streams it is told, and only those", () =>
    inStreamBuffer((db) => {
      add(db, deltas(1, 2), finished, "a");
      add(db, deltas(1, 2), undefined, "b");
      drop(db, ["a", "unknown"]);
      expect(rest(db, 0, "a")).toEqual({ entries: [], lastSeq: 0, end: null, more: false });
      expect(rest(db, 0, "b").lastSeq).toBe(2);
    }));
});
