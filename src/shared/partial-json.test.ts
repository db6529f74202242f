import { parsePartialJson as parseLikeSdk } from "ai";
import { describe, expect, it } from "vitest";
import { parsePartialJson } from "./partial-input.ts";
import { closeJson } from "./partial-json.ts";

const documents = [
  { path: "a/b.ts", content: 'line 1\nline "2"\t\\ \u0001 end', lines: [1, -2.5, 3e10, 0], nested: { a: [], b: {} } },
  ["", [[[]]], { "": null, t: true, f: false }, "ünïcödé 😀", "back\\slash\\"],
  { 'quo"te': { "a,b": "c:d", "{[": "]}" } },
];

describe("closeJson", () => {
  it.each(documents.flatMap((document) => [JSON.stringify(document), JSON.stringify(document, null, 2)]))(
    "tells of every prefix of %s what the AI SDK tells",
    async (text) => {
      for (let length = 0; length <= text.length; length++) {
        const prefix = text.slice(0, length);
        expect(parsePartialJson(prefix), prefix).toEqual((await parseLikeSdk(prefix)).value);
      }
    },
  );

  it.each([
    ["", ""],
    ['"a', '"a"'],
    [String.raw`"a\\`, String.raw`"a\\"`],
    [String.raw`"a\u12`, '"a"'],
    [String.raw`"a\\u12`, String.raw`"a\\u12"`],
    ["-", ""],
    ["[1.", "[1]"],
    ["[tr", "[true]"],
    ['{"a":1,"b', '{"a":1}'],
    ['{"a":1,"b":', '{"a":1}'],
  ])("closes %j as %j", (text, closed) => expect(closeJson(text)).toBe(closed));

  it.each(["hello", "{]", "}{", '{"a" 1', "[1 2"])("makes no JSON of %j", (text) => {
    expect(parsePartialJson(text)).toBeUndefined();
  });

  it("takes any depth", () => {
    expect(closeJson("[".repeat(200_000))).toHaveLength(400_000);
  });
});
