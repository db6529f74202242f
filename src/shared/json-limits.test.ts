import { describe, expect, it } from "vitest";
import { jsonProblem, utf8Bytes } from "./json-limits.ts";

const nested = (depth: number, inside = "") => `${"[".repeat(depth)}${inside}${"]".repeat(depth)}`;

describe("jsonProblem", () => {
  it.each<[string, string, number, number, string | null]>([
    ["within both limits", '{"a":[1]}', 9, 2, null],
    ["a byte too long", '{"a":[1]}', 8, 2, "too_large"],
    ["a level too deep", '{"a":[1]}', 9, 1, "bad_request"],
    ["short in characters and long in bytes", '"ééé"', 7, 1, "too_large"],
    ["at the limit in bytes", '"ééé"', 8, 1, null],
    ["over both", nested(10), 5, 5, "too_large"],
    ["empty", "", 0, 0, null],
    ["brackets side by side", "[],[],[],[]", 100, 1, null],
    ["brackets in a string", '"[[[[{{{{"', 100, 0, null],
    ["brackets behind an escaped quote", String.raw`"\"[[[["`, 100, 0, null],
    ["brackets behind an escaped backslash", String.raw`"\\"[[`, 100, 1, "bad_request"],
    ["a string that never ends", '"[[[[', 100, 0, null],
    ["closing brackets first", `]]]]${nested(2)}`, 100, 1, null],
  ])("judges text that is %s", (_, json, maxBytes, maxDepth, code) => {
    expect(jsonProblem(json, maxBytes, maxDepth)?.code ?? null).toBe(code);
  });

  it("needs no stack for a million levels, and one look at each backslash", () => {
    expect(jsonProblem(nested(1_000_000), 10_000_000, 128)?.code).toBe("bad_request");
    expect(jsonProblem(`"${"\\".repeat(1_000_000)}"`, 10_000_000, 128)).toBeNull();
  });
});

describe("utf8Bytes", () => {
  it.each([
    ["", 0],
    ["a", 1],
    ["é", 2],
    ["€", 3],
    ["😀", 4],
    ["\ud800", 3],
    ["\udc00\ud800a", 7],
    ["\ud800😀é", 9],
    ["a😀".repeat(600), 3_000],
  ])("of %j is %i", (text, bytes) => {
    expect(utf8Bytes(text)).toBe(bytes);
  });
});
