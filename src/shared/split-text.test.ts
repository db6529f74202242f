import { describe, expect, it } from "vitest";
import { utf8Bytes } from "./json-limits.ts";
import { splitText } from "./split-text.ts";

describe("splitText", () => {
  it("keeps short text whole", () => {
    expect(splitText("abc", 3)).toEqual(["abc"]);
    expect(splitText("", 3)).toEqual([""]);
  });

  it("cuts by bytes, not by characters, and never inside a surrogate pair", () => {
    for (const text of ["x".repeat(1000), "é".repeat(1000), "😀".repeat(1000), "a😀é".repeat(400)]) {
      for (const limit of [6, 7, 100, 1001]) {
        const pieces = splitText(text, limit);
        expect(pieces.join("")).toBe(text);
        for (const piece of pieces) {
          expect(utf8Bytes(piece)).toBeLessThanOrEqual(limit);
          expect(piece.isWellFormed()).toBe(true);
        }
      }
    }
  });

  it("fills each piece", () => {
    expect(splitText("x".repeat(3000), 1000).map((piece) => piece.length)).toEqual([1000, 1000, 1000]);
    expect(splitText("😀".repeat(1000), 999).map(utf8Bytes)).toEqual([996, 996, 996, 996, 16]);
  });

  it("keeps lone surrogates, and a byte order mark at the start of a piece", () => {
    const text = "\ud83d\ufeff\ude00".repeat(200);
    const pieces = splitText(text, 100);
    expect(pieces.join("") === text).toBe(true);
    expect(pieces.every((piece) => utf8Bytes(piece) <= 100)).toBe(true);
  });
});
