import { describe, expect, it } from "vitest";
import { cutOf } from "./cut-answer.ts";

const answer = (metadata?: unknown) => ({ id: "a1", role: "assistant" as const, parts: [], metadata });
const error = { message: "It broke.", retryable: true };

describe("cutOf", () => {
  it("reads how an answer was cut, and why", () => {
    expect(cutOf(answer({ troupe: { outcome: "failed", error, turnId: "t" }, mood: 1 }))).toEqual({
      outcome: "failed",
      error,
    });
    expect(cutOf(answer({ troupe: { outcome: "aborted" } }))).toEqual({ outcome: "aborted" });
  });

  it.each([undefined, null, 1, "text", {}, { troupe: null }, { troupe: { outcome: "completed" } }, { troupe: [] }])(
    "finds nothing in the metadata %j",
    (metadata) => expect(cutOf(answer(metadata))).toBeNull(),
  );

  it("takes a broken error for none, and no user's message for an answer", () => {
    const broken = { troupe: { outcome: "failed", error: { message: 1 } } };
    expect(cutOf(answer(broken))).toEqual({ outcome: "failed" });
    expect(cutOf({ ...answer(broken), role: "user" })).toBeNull();
  });
});
