import { describe, expect, it } from "vitest";
import { isSame } from "./same.ts";

describe("isSame", () => {
  it("compares content, not key order, and takes undefined for missing", () => {
    expect(isSame({ a: 1, b: [{ c: "x" }] }, { b: [{ c: "x" }], a: 1 })).toBe(true);
    expect(isSame({ a: 1, b: undefined }, { a: 1 })).toBe(true);
    expect(isSame({ a: 1 }, { a: 1, b: undefined })).toBe(true);
  });

  it("sees every difference", () => {
    const pairs: [unknown, unknown][] = [
      [{ a: 1 }, { a: 2 }],
      [{ a: 1 }, { a: 1, b: null }],
      [{ a: null }, {}],
      [[1, 2], [1]],
      [[], {}],
      [null, {}],
      ["1", 1],
    ];
    for (const [a, b] of pairs) expect([isSame(a, b), isSame(b, a)], JSON.stringify([a, b])).toEqual([false, false]);
  });
});
