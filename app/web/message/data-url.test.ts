import { describe, expect, it } from "vitest";
import { bytesIn, sizeText, textIn } from "./data-url.ts";

const base64 = (text: string) => `data:text/plain;base64,${Buffer.from(text).toString("base64")}`;

describe("data URLs", () => {
  it("tell how large their content is", () => {
    for (const text of ["", "a", "ab", "abc", "Grüße"]) {
      expect(bytesIn(base64(text))).toBe(Buffer.byteLength(text));
      expect(bytesIn(`data:,${text}`)).toBe(Buffer.byteLength(text));
    }
    expect(bytesIn("https://example.com/")).toBeNull();
  });

  it("hold texts, and nothing that could pass for one", () => {
    expect(textIn(base64("Grüße"))).toBe("Grüße");
    expect(textIn("data:text/plain,a%20b")).toBe("a b");
    for (const url of ["https://example.com/", "data:;base64,%%", "data:,%", "data:;base64,/w=="]) {
      expect(textIn(url)).toBeNull();
    }
  });
});

it("says sizes in a unit that suits", () => {
  expect([0, 1, 999, 1_000, 999_949, 2_500_000].map(sizeText)).toEqual([
    "0 bytes",
    "1 byte",
    "999 bytes",
    "1.0 kB",
    "999.9 kB",
    "2.5 MB",
  ]);
});
