import type { ToolPart } from "troupe/client";
import { describe, expect, it } from "vitest";
import { gistOf } from "./tool-gist.ts";

const gist = (input: unknown, output: unknown) =>
  gistOf({ type: "tool-t", toolCallId: "c", state: "output-available", input, output } as ToolPart);

describe("the gist of a tool call", () => {
  it("names what went in and what came out", () => {
    expect(gist({ count: 3, sides: 6 }, { rolls: [2, 2, 4], total: 8 })).toBe(
      "count 3, sides 6 → rolls 2, 2, 4, total 8",
    );
    expect(gist({ at: { deep: 1 } }, "done")).toBe('at {"deep":1} → done');
  });

  it("leaves out what came back as it went in", () => {
    expect(gist({ expression: "5*5" }, { expression: "5*5", value: 25 })).toBe("expression 5*5 → value 25");
    expect(gist({}, {})).toBe("");
  });

  it("cuts long values, and itself", () => {
    expect(gist({ text: "x".repeat(100) }, null)).toBe(`text ${"x".repeat(59)}…`);
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`field${at}`, at]));
    expect(gist(many, many)).toHaveLength(200);
  });

  it("is what went wrong when it failed", () => {
    expect(
      gistOf({ type: "tool-t", toolCallId: "c", state: "output-error", input: { a: 1 }, errorText: "Too large." }),
    ).toBe("Too large.");
  });
});
