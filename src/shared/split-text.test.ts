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
});
