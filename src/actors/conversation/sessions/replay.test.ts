import type { UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { inStreamBuffer } from "../../../../test/harness/stream-buffers.ts";
import { applyChunk, emptyAssistant, type FoldState, startFold } from "../../../shared/apply-chunk.ts";
import type { Database } from "../../../shared/platform/database.ts";
import { append, drop, read } from "../../stream-buffer/chunk-log.ts";
import type { ChunkEntry, StreamEnd } from "../../stream-buffer/contract.ts";
import { entriesAfter, entryOf, joinEntries } from "../../stream-buffer/frames.ts";
import { catchUp, type StreamSource } from "./replay.ts";

const STREAM = "turn/1";
const words = ["one ", "two ", "three ", "four"];
const chunks: UIMessageChunk[] = [
  { type: "start", messageId: "m" },
  { type: "text-start", id: "t" },
  ...words.map((delta) => ({ type: "text-delta", id: "t", delta }) as const),
];
const entries = chunks.map((chunk, at) => entryOf(at + 1, chunk));
const foldOf = (list: readonly UIMessageChunk[]): FoldState => list.reduce(applyChunk, startFold(emptyAssistant("m")));

/** A stream of which the buffer has the first `stored` chunks and the writer the rest; both may be damaged. */
function sourceOver(db: Database, stored: number, options: { isRunning: boolean; end?: StreamEnd }): StreamSource {
  const { isRunning, end } = options;
  append(db, { streamId: STREAM, entries: entries.slice(0, stored), atMs: 1, ...(end && { end }) });
  return {
    streamId: STREAM,
    buffer: { read: async (request) => read(db, request) },
    writer: isRunning
      ? {
          lastSeq: entries.length,
          storedSeq: stored,
          tail: (after) => joinEntries(entriesAfter(entries.slice(stored), after)),
        }
      : null,
    folded: () => foldOf(chunks),
  };
}

async function caughtUp(source: StreamSource, after = 0) {
  const got: ChunkEntry[] = [];
  let attachedAt = -1;
  const result = await catchUp(
    source,
    after,
    (more) => void got.push(...more),
    () => (attachedAt = got.length),
  );
  expect(attachedAt).toBe(got.length);
  const text = got.map(({ chunk }) => (chunk.type === "text-delta" ? chunk.delta : "")).join("");
  return { ...result, got, text };
}

const unreadable = (source: StreamSource, failures = Number.POSITIVE_INFINITY): StreamSource => {
  let left = failures;
  return {
    ...source,
    buffer: {
      read: (request) => (left-- > 0 ? Promise.reject(new Error("connection lost")) : source.buffer.read(request)),
    },
  };
};

describe("catchUp", () => {
  it.each([0, 1, 2, 3, 5, 6])("gives what comes after seq %i of a running stream, each once", (after) =>
    inStreamBuffer(async (db) => {
      const { text, seq, isWhole } = await caughtUp(sourceOver(db, 4, { isRunning: true }), after);
      expect([text, seq, isWhole]).toEqual([words.slice(Math.max(after - 2, 0)).join(""), 6, true]);
    }),
  );

  it("gives the whole of an ended stream and how it ended", () =>
    inStreamBuffer(async (db) => {
      const end = { kind: "finished" } as const;
      expect(await caughtUp(sourceOver(db, 6, { isRunning: false, end }))).toMatchObject({
        text: "one two three four",
        isWhole: true,
        end,
      });
    }));

  it("reads once more when the way to the buffer breaks", () =>
    inStreamBuffer(async (db) => {
      const source = unreadable(sourceOver(db, 4, { isRunning: true }), 1);
      expect(await caughtUp(source)).toMatchObject({ text: "one two three four", isWhole: true });
    }));

  it.each(["dropped", "unreadable"] as const)(
    "gives the message as it is when the chunks of a running stream are %s, and its stream goes on behind it",
    (fault) =>
      inStreamBuffer(async (db) => {
        const source = sourceOver(db, 4, { isRunning: true });
        if (fault === "dropped") drop(db, [STREAM]);
        const { got, seq, isWhole } = await caughtUp(fault === "dropped" ? source : unreadable(source));
        expect([seq, isWhole]).toEqual([6, true]);
        expect(got.map((entry) => entry.to)).toEqual([1, 2, 6]);
        const more: UIMessageChunk = { type: "text-delta", id: "t", delta: "!" };
        expect(foldOf([...got.map((entry) => entry.chunk), more]).message).toEqual(foldOf([...chunks, more]).message);
      }),
  );

  it.each(["dropped", "unreadable"] as const)(
    "gives nothing behind a gap to a reader that has a part, and says so, when the chunks are %s",
    (fault) =>
      inStreamBuffer(async (db) => {
        const source = sourceOver(db, 4, { isRunning: true });
        if (fault === "dropped") drop(db, [STREAM]);
        const { got, seq, isWhole } = await caughtUp(fault === "dropped" ? source : unreadable(source), 3);
        expect([got, seq, isWhole]).toEqual([[], 3, false]);
      }),
  );

  it("gives the message instead of an ended stream that the buffer has only in part", () =>
    inStreamBuffer(async (db) => {
      const { text, isWhole } = await caughtUp(sourceOver(db, 4, { isRunning: false }));
      expect([text, isWhole]).toEqual(["one two three four", true]);
    }));

  it("gives what there is of a stream that was cut, and says that it is not the whole", () =>
    inStreamBuffer(async (db) => {
      const source = { ...sourceOver(db, 4, { isRunning: false }), folded: () => null };
      expect(await caughtUp(source)).toMatchObject({ text: "one two ", isWhole: false, end: null });
    }));

  it("has nothing to give of a stream that never said anything, and nothing is missing", () =>
    inStreamBuffer(async (db) => {
      const source = { ...sourceOver(db, 0, { isRunning: false }), folded: () => null };
      expect(await caughtUp(source)).toMatchObject({ got: [], isWhole: true });
    }));
});
