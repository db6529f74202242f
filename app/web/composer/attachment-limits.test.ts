import { describe, expect, it } from "vitest";
import {
  MAX_FILES,
  MAX_PICTURE_BYTES,
  MAX_TEXT_BYTES,
  MAX_TOTAL_BYTES,
  mediaTypeOf,
  refusalOf,
} from "./attachment-limits.ts";

const file = (name: string, type: string, bytes = 10) => ({ name, type, bytes });

const picture = (bytes: number) => file("p.png", "image/png", bytes);

describe("the type of an attachment", () => {
  it.each([
    ["a.png", "image/png", "image/png"],
    ["a.md", "text/markdown;charset=utf-8", "text/markdown"],
    ["a.json", "application/json", "application/json"],
    ["a.ts", "video/mp2t", "text/plain"],
    ["a.PY", "", "text/plain"],
    ["b.ts", "text/vnd.trolltech.linguist", "text/plain"],
    ["a.c", "text/x-csrc", "text/x-csrc"],
    ["a.svg", "image/svg+xml", "text/plain"],
    ["a.tar.gz", "application/gzip", undefined],
    ["a.heic", "image/heic", undefined],
    ["a", "", undefined],
  ])("of %s (%s) is %s", (name, type, mediaType) => {
    expect(mediaTypeOf(file(name, type))?.mediaType).toBe(mediaType);
  });
});

describe("an attachment", () => {
  it("may be as large as its kind, and no larger", () => {
    expect(refusalOf(picture(MAX_PICTURE_BYTES), [])).toBeNull();
    expect(refusalOf(picture(MAX_PICTURE_BYTES + 1), [])).toBe(
      "“p.png” has 5.1 MB. A picture may have 5.0 MB at most.",
    );
    expect(refusalOf(file("a.txt", "text/plain", MAX_TEXT_BYTES), [])).toBeNull();
    expect(refusalOf(file("a.txt", "text/plain", MAX_TEXT_BYTES + 1), [])).toContain("201 kB. A text file may");
  });

  it("is refused when it is empty, of another type, or one too many", () => {
    expect(refusalOf(file("a.txt", "text/plain", 0), [])).toContain("empty");
    expect(refusalOf(file("a.zip", "application/zip"), [])).toContain("neither a picture");
    const others = Array.from({ length: MAX_FILES }, () => picture(1));
    expect(refusalOf(picture(1), others)).toContain("one too many");
    expect(refusalOf(picture(1), others.slice(1))).toBeNull();
  });

  it("fits with the others into a frame", () => {
    const others = [picture(5_000_000), picture(4_000_000)];
    expect(refusalOf(picture(MAX_TOTAL_BYTES - 9_000_000), others)).toBeNull();
    expect(refusalOf(picture(MAX_TOTAL_BYTES - 8_999_999), others)).toContain("Together they may have 11.0 MB");
    expect((MAX_TOTAL_BYTES * 4) / 3).toBeLessThan(15 * 1024 * 1024);
  });
});
