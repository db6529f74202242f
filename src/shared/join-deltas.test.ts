import type { UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { deepFreeze } from "../../test/harness/deep-freeze.ts";
import { deltaOf, joinChunks, withDelta } from "./join-deltas.ts";

const text = (id: string, delta: string): UIMessageChunk => ({ type: "text-delta", id, delta });
const reasoning = (id: string, delta: string): UIMessageChunk => ({ type: "reasoning-delta", id, delta });
const input = (toolCallId: string, inputTextDelta: string): UIMessageChunk => ({
  type: "tool-input-delta",
  toolCallId,
  inputTextDelta,
});

describe("joinChunks", () => {
  it("joins neighbouring deltas of one part", () => {
    expect(joinChunks(deepFreeze(text("1", "a")), deepFreeze(text("1", "b")))).toEqual(text("1", "ab"));
    expect(joinChunks(reasoning("1", "a"), reasoning("1", "b"))).toEqual(reasoning("1", "ab"));
    expect(joinChunks(input("1", "a"), input("1", "b"))).toEqual(input("1", "ab"));
  });

  it("keeps everything else apart", () => {
    const signed: UIMessageChunk = { type: "text-delta", id: "1", delta: "b", providerMetadata: { a: { b: 1 } } };
    expect(joinChunks(text("1", "a"), text("2", "b"))).toBeNull();
    expect(joinChunks(text("1", "a"), reasoning("1", "b"))).toBeNull();
    expect(joinChunks(text("1", "a"), input("1", "b"))).toBeNull();
    expect(joinChunks(text("1", "a"), signed)).toBeNull();
    expect(joinChunks(signed, text("1", "a"))).toBeNull();
    expect(joinChunks(text("1", "a"), { type: "text-end", id: "1" })).toBeNull();
    expect(joinChunks({ type: "start-step" }, { type: "start-step" })).toBeNull();
  });
});

describe("deltaOf and withDelta", () => {
  it("read and replace the text of a delta", () => {
    for (const chunk of [text("1", "abc"), reasoning("1", "abc"), input("1", "abc")]) {
      expect(deltaOf(chunk)).toBe("abc");
      expect(deltaOf(withDelta(deepFreeze(chunk), "z"))).toBe("z");
    }
  });

  it("leave other chunks alone", () => {
    const chunk: UIMessageChunk = { type: "text-end", id: "1" };
    expect(deltaOf(chunk)).toBeNull();
    expect(withDelta(chunk, "z")).toBe(chunk);
  });
});
