import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import type { UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import type { ChunkEntry, StreamBufferContract } from "../../src/actors/stream-buffer/contract.ts";
import { entryOf, joinEntries } from "../../src/actors/stream-buffer/frames.ts";
import { isTroupeError } from "../../src/shared/errors.ts";
import { newStreamBuffer, type StreamBufferStub } from "../harness/stream-buffers.ts";

const text = (delta: string): UIMessageChunk => ({ type: "text-delta", id: "t", delta });
const deltas = (from: number, to: number): ChunkEntry[] =>
  joinEntries(Array.from({ length: to - from + 1 }, (_, at) => entryOf(from + at, text(`<${from + at}>`))));

describe("a StreamBuffer", () => {
  it("keeps what it has stored when it is evicted between appends", async () => {
    const buffer = newStreamBuffer();
    for (let from = 1; from <= 50; from += 10) {
      const request = { streamId: "s", entries: deltas(from, from + 9), atMs: from };
      expect(await buffer.append(request)).toEqual({ status: "stored", lastSeq: from + 9 });
      await evictDurableObject(buffer);
      expect(await buffer.append(request)).toEqual({ status: "stored", lastSeq: from + 9 });
    }
    await buffer.finish("s", 60);
    await evictDurableObject(buffer);
    const end = { kind: "finished" };
    expect(await buffer.read({ streamId: "s", after: 0 })).toEqual({
      entries: deltas(1, 50),
      lastSeq: 50,
      end,
      more: false,
    });
    expect(await buffer.read({ streamId: "s", after: 43 })).toEqual({
      entries: deltas(44, 50),
      lastSeq: 50,
      end,
      more: false,
    });
  });

  it("keeps what it has stored when it dies in the middle of its work", async () => {
    const buffer = newStreamBuffer();
    await buffer.append({ streamId: "s", entries: deltas(1, 10), atMs: 1 });
    await runInDurableObject(buffer, (_, state) => state.abort("killed by the test")).catch(() => "as asked");
    const again = newStreamBuffer(buffer.id);
    expect(await again.append({ streamId: "s", entries: deltas(5, 12), atMs: 2 })).toEqual({
      status: "stored",
      lastSeq: 12,
    });
    expect((await again.read({ streamId: "s", after: 0 })).entries).toEqual(deltas(1, 12));
  });

  it("gives halves of a surrogate pair back as they came", async () => {
    const buffer = newStreamBuffer();
    const halves = [entryOf(1, text("a\ud83d")), entryOf(2, text("\ude00b"))];
    await buffer.append({ streamId: "s", entries: [halves[0] as ChunkEntry], atMs: 1 });
    await buffer.append({ streamId: "s", entries: [halves[1] as ChunkEntry], atMs: 1 });
    expect((await buffer.read({ streamId: "s", after: 0 })).entries).toEqual(joinEntries(halves));
    expect((await buffer.read({ streamId: "s", after: 1 })).entries).toEqual([halves[1]]);
  });

  it("fails, drops and sweeps streams, each as often as it is asked", async () => {
    const buffer = newStreamBuffer();
    await buffer.append({ streamId: "a", entries: deltas(1, 2), atMs: 10 });
    await buffer.append({ streamId: "b", entries: deltas(1, 2), atMs: 20 });
    for (const _ of [1, 2]) expect(await buffer.fail("a", "no luck", 30)).toEqual({ status: "stored", lastSeq: 2 });
    expect(await buffer.finish("a", 30)).toEqual({ status: "ended", lastSeq: 2 });
    expect((await buffer.read({ streamId: "a", after: 2 })).end).toEqual({ kind: "failed", message: "no luck" });
    expect(await buffer.sweep(25)).toEqual({ dropped: 1, oldestMs: 30 });
    for (const _ of [1, 2]) await buffer.drop(["a", "b"]);
    expect(await buffer.sweep(25)).toEqual({ dropped: 0, oldestMs: null });
  });

  it("sets no alarm", async () => {
    const buffer = newStreamBuffer();
    await buffer.append({ streamId: "s", entries: deltas(1, 2), end: { kind: "finished" }, atMs: 10 });
    expect(await runInDurableObject(buffer, (_, state) => state.storage.getAlarm())).toBeNull();
  });

  const sound = { streamId: "s", entries: [entryOf(1, text("x"))], atMs: 1 };
  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["no id", { ...sound, streamId: "" }],
    ["an endless id", { ...sound, streamId: "x".repeat(10_000) }],
    ["an id of another type", { ...sound, streamId: { toString: "s" } }],
    ["no time", { ...sound, atMs: Number.NaN }],
    ["a seq of zero", { ...sound, entries: [entryOf(0, text("x"))] }],
    ["a seq that is no integer", { ...sound, entries: [entryOf(1.5, text("x"))] }],
    ["a seq as text", { ...sound, entries: [{ from: "1", to: "1", chunk: text("x") }] }],
    ["seqs that jump", { ...sound, entries: [entryOf(1, text("x")), entryOf(3, text("x"))] }],
    ["seqs that go back", { ...sound, entries: [entryOf(2, text("x")), entryOf(1, text("x"))] }],
    ["a chunk without a type", { ...sound, entries: [{ from: 1, to: 1, chunk: {} }] }],
    ["a chunk that is null", { ...sound, entries: [{ from: 1, to: 1, chunk: null }] }],
    ["a chunk that is not JSON", { ...sound, entries: [{ from: 1, to: 1, chunk: { type: "data-x", data: 1n } }] }],
    ["cuts that lie", { ...sound, entries: [{ from: 1, to: 9, chunk: text("x"), cuts: [1] }] }],
    ["cuts that explode", { ...sound, entries: [{ from: 1, to: 1e9, chunk: text(""), cuts: [-1e9, 0] }] }],
    ["an unknown end", { ...sound, end: { kind: "lost" } }],
  ])("refuses an append with %s and stores nothing", async (_, request) => {
    const buffer = newStreamBuffer();
    expect(await refusalOf(buffer, ["append", request])).toBe("bad_request");
    expect(await buffer.sweep(0)).toEqual({ dropped: 0, oldestMs: null });
  });

  it("refuses other verbs with arguments that are not theirs", async () => {
    const calls: Call[] = [
      ["read", { streamId: "s", after: -1 }],
      ["read", { streamId: "s", after: 0, maxBytes: 0 }],
      ["read", { streamId: "s", after: 0, maxBytes: 1e12 }],
      ["finish", "", 1],
      ["finish", "s", "now"],
      ["fail", "s", null, 1],
      ["drop", "s"],
      ["drop", [1]],
      ["sweep", null],
    ];
    for (const call of calls) expect(await refusalOf(newStreamBuffer(), call)).toBe("bad_request");
  });

  it("tells the caller on the other side what was wrong", async () => {
    expect(await codeOf(() => newStreamBuffer().read({ streamId: "s", after: -1 }))).toBe("bad_request");
  });

  it("ignores what it does not know inside a request, and stores a prototype's name as any other id", async () => {
    const buffer = newStreamBuffer();
    const request = { ...sound, streamId: "__proto__", more: "than asked" };
    expect(await buffer.append(request)).toEqual({ status: "stored", lastSeq: 1 });
    expect((await buffer.read({ streamId: "__proto__", after: 0 })).entries).toEqual(sound.entries);
  });
});

type Call = readonly [verb: keyof StreamBufferContract, ...args: unknown[]];

/** How the object refuses a call made inside it: the runtime logs every error that crosses the border. */
async function refusalOf(buffer: StreamBufferStub, [verb, ...args]: Call): Promise<string> {
  return runInDurableObject(buffer, (instance) => {
    const verbs = instance as unknown as Record<Call[0], (...args: unknown[]) => Promise<unknown>>;
    return codeOf(() => verbs[verb](...args));
  });
}

/** The code of the TroupeError that `call` rejects with. */
async function codeOf(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
    return "resolved";
  } catch (error) {
    return isTroupeError(error) ? error.code : String(error);
  }
}
