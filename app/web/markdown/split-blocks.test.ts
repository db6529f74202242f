import { readFileSync } from "node:fs";
import { renderToStaticMarkup } from "react-dom/server";
import { createElement } from "react";
import { describe, expect, it } from "vitest";
import { MARKDOWN } from "../../models/demo/texts.ts";
import { Block } from "./block.tsx";
import { nothingSplit, splitBlocks } from "./split-blocks.ts";

const README = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
const texts: readonly [string, string][] = [
  ["the demo's markdown", MARKDOWN],
  ["a README", README],
  ["loose lists", "1. one\n\n2. two\n\n   more of two\n\n   ```js\n   x\n   ```\n\nthe end"],
  ["an open fence", "text\n\n```ts\nconst a = 1;\n\n\nconst b = 2;"],
  ["a fence with blank lines and a table", "```\na\n\n\nb\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quote\n> more"],
  ["headings with a line below", "Title\n=====\n\nText\n---\nmore"],
  ["tabs and other line ends", "- a\n\t- b\r\n\r\n\tcode\r\n"],
];

const draw = (blocks: readonly string[]) =>
  blocks.map((text) => renderToStaticMarkup(createElement(Block, { text }))).join("");
const plain = (html: string) => html.replace(/\s+/g, " ").replaceAll("> <", "><");

describe("splitting markdown into blocks", () => {
  it.each(texts)("draws the same as the whole: %s", (_, text) => {
    const { blocks } = splitBlocks(text);
    expect(blocks.join("")).toBe(text);
    expect(plain(draw(blocks))).toBe(plain(draw([text])));
  });

  it.each(texts)("comes to the same blocks when the text grows by a letter at a time: %s", (_, text) => {
    let split = nothingSplit;
    for (let end = 1; end <= text.length; end++) split = splitBlocks(text.slice(0, end), split);
    expect(split.blocks).toEqual(splitBlocks(text).blocks);
  });

  it("keeps the blocks before the end as they are", () => {
    const before = splitBlocks("# one\n\ntwo\n\nthree");
    const after = splitBlocks("# one\n\ntwo\n\nthree and more", before);
    expect(after.blocks.slice(0, 2)).toEqual(before.blocks.slice(0, 2));
    expect(splitBlocks(after.text, after)).toBe(after);
  });

  it("begins again when the text is another", () => {
    expect(splitBlocks("b", splitBlocks("a\n\nb")).blocks).toEqual(["b"]);
  });

  it("leaves a text whole whose definitions hold for all of it", () => {
    expect(splitBlocks("see [it]\n\n[it]: https://example.com").blocks).toHaveLength(1);
  });
});
