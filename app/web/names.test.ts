import { describe, expect, it } from "vitest";
import { newName } from "./names.ts";

describe("newName", () => {
  it("is readable and fits into an address as it is", () => {
    for (let draw = 0; draw < 500; draw++) expect(newName()).toMatch(/^[a-z]+-[a-z]+-[1-9]\d{3}$/);
  });

  it("uses the whole range of its source", () => {
    expect(newName(() => 0)).toBe("amber-acrobat-1000");
    expect(newName(() => 0.9999999)).toBe("zesty-weaver-9999");
  });
});
