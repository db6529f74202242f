import type { UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { deltaOf } from "../../shared/join-deltas.ts";
import type { ChunkEntry } from "./contract.ts";
import { entriesAfter, entryOf, isSoundEntry, joinEntries, MAX_JOINED_BYTES, MAX_JOINED_DELTAS } from "./frames.ts";

const text = (delta: string, id = "t"): UIMessageChunk => ({ type: "text-delta", id, delta });
const entriesOf = (chunks: readonly UIMessageChunk[]): ChunkEntry[] =>
  chunks.map((chunk, at) => entryOf(at + 1, chunk));
const deltas = (count: number, of: (at: number) => string): ChunkEntry[] =>
  entriesOf(Array.from({ length: count }, (_, at) => text(of(at))));
const textOf = (entries: readonly ChunkEntry[]): string => entries.map((entry) => deltaOf(entry.chunk) ?? "").join("");
const jsonBytes = (value: unknown): number => JSON.stringify(value).length;

describe("joinEntries", () => {
  it("joins neighbouring deltas of one part and keeps where each began", () => {
    const joined = joinEntries(
      entriesOf([{ type: "text-start", id: "t" }, text("Hel"), text("lo"), text("!", "u"), { type: "finish-step" }]),
    );
    expect(joined).toEqual([
      { from: 1, to: 1, chunk: { type: "text-start", id: "t" } },
      { from: 2, to: 3, chunk: text("Hello"), cuts: [3, 2] },
      { from: 4, to: 4, chunk: text("!", "u") },
      { from: 5, to: 5, chunk: { type: "finish-step" } },
    ]);
  });

  it("joins the same whether it is asked once or on what is joined already", () => {
    const entries = deltas(500, (at) => "x".repeat(at % 7));
    const halves = [...joinEntries(entries.slice(0, 123)), ...joinEntries(entries.slice(123))];
    expect(joinEntries(halves)).toEqual(joinEntries(entries));
  });

  it("does not join across a missing seq", () => {
    expect(joinEntries([entryOf(1, text("a")), entryOf(3, text("c"))])).toHaveLength(2);
  });

  it("bounds a joined delta in bytes of UTF-8 and in number, and leaves a longer delta whole", () => {
    expect(
      joinEntries(
        deltas(10, () => "é".repeat(10)),
        100,
      ).map((entry) => entry.to - entry.from + 1),
    ).toEqual([5, 5]);
    expect(joinEntries(deltas(MAX_JOINED_DELTAS + 1, () => ""))).toHaveLength(2);
    expect(joinEntries(deltas(2, () => "x".repeat(MAX_JOINED_BYTES + 1)))).toHaveLength(2);
  });

  it("lets a delta that came without its text stand alone", () => {
    const broken = { type: "text-delta", id: "t" } as UIMessageChunk;
    const entries = entriesOf([text("a"), broken, text("b")]);
    expect(joinEntries(entries)).toEqual(entries);
  });

  it("brings 2,500 small deltas into at most 60 entries", () => {
    expect(joinEntries(deltas(2_500, (at) => `word${at} `)).length).toBeLessThanOrEqual(60);
  });

  it.each([
    ["one letter each", () => "x"],
    ["words", (at: number) => "word".repeat(1 + (at % 3)).slice(at % 4)],
  ])("stores 5,000 deltas, %s, in at most twice their text", (_, of) => {
    const entries = deltas(5_000, of);
    expect(jsonBytes(joinEntries(entries))).toBeLessThanOrEqual(2 * textOf(entries).length);
  });
});

describe("entriesAfter", () => {
  it("gives for every seq just the deltas behind it", () => {
    const lengths = Array.from({ length: 40 }, (_, at) => at % 5);
    const entries = deltas(40, (at) => String(at % 10).repeat(lengths[at] as number));
    const joined = joinEntries(entries, 30);
    for (let after = 0; after <= 41; after++) {
      const rest = entriesAfter(joined, after);
      expect(textOf(rest)).toBe(textOf(entries.slice(after)));
      expect(rest[0]?.from ?? null).toBe(after < 40 ? after + 1 : null);
      expect(rest.every(isSoundEntry)).toBe(true);
    }
  });

  it("gives one who has 4,900 of 5,000 at most the bytes of 200 deltas", () => {
    const entries = deltas(5_000, (at) => `w${at} `);
    expect(jsonBytes(entriesAfter(joinEntries(entries), 4_900))).toBeLessThan(jsonBytes(entries.slice(4_800)));
  });

  it("keeps halves of a surrogate pair where they were", () => {
    const entries = entriesOf([text("a\ud83d"), text("\ude00b")]);
    const joined = joinEntries(entries);
    expect(joined).toHaveLength(1);
    expect(entriesAfter(joined, 1)).toEqual([entryOf(2, text("\ude00b"))]);
  });
});

describe("isSoundEntry", () => {
  const joined: ChunkEntry = { from: 1, to: 2, chunk: text("abc"), cuts: [1, 2] };
  it.each<[string, ChunkEntry, boolean]>([
    ["a chunk alone", entryOf(1, { type: "start" }), true],
    ["a joined delta", joined, true],
    ["cuts that are too few", { ...joined, cuts: [3] }, false],
    ["cuts that are too many", { ...joined, cuts: [1, 1, 1] }, false],
    ["cuts of another length", { ...joined, cuts: [1, 1] }, false],
    ["no cuts", { from: 1, to: 2, chunk: text("abc") }, false],
    ["a run of what is no delta", { ...joined, chunk: { type: "start" } }, false],
    ["seqs that run backwards", { ...joined, to: 0 }, false],
    ["a run without bounds", { from: 1, to: 1e9, chunk: text(""), cuts: [-1e9, 0] }, false],
  ])("judges %s", (_, entry, sound) => {
    expect(isSoundEntry(entry)).toBe(sound);
  });
});
