import { describe, expect, it } from "vitest";
import { plainText } from "./plain-text.ts";

describe("plain text of markdown", () => {
  it.each([
    ["Some **bold**, *soft* and `code`, ~~gone~~.", "Some bold, soft and code, gone."],
    ["# Title\n\nText [there](https://example.com) ![chart](x.png)", "Title\nText there chart"],
    ["- one\n- **two**\n  1. inner\n\n> A quote.", "one\ntwo\ninner\nA quote."],
    ["- [x] done\n- [ ] to do", "done\nto do"],
    ["| a | b |\n|---|---|\n| 1 | `2` |", "a, b\n1, 2"],
    ["```ts\nconst a = 1;\n```\n\n---\n\nEnd", "const a = 1;\nEnd"],
    ["1 < 2 & 3\nnext", "1 < 2 & 3\nnext"],
    ["", ""],
  ])("of %j is %j", (markdown, plain) => {
    expect(plainText(markdown)).toBe(plain);
  });
});
