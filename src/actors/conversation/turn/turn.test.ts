import { describe, expect, it } from "vitest";
import { outcomeOf, streamIdOf, type Turn } from "./turn.ts";

describe("a turn", () => {
  it("names a stream for each of its segments", () => {
    const turn = { turnId: "t" } as Turn;
    expect([streamIdOf(turn), streamIdOf(turn, 1), streamIdOf(turn, 2)]).toEqual(["t/1", "t/1", "t/2"]);
  });

  it.each([
    ["completed", "completed"],
    ["failed", "error"],
    ["aborted", "aborted"],
    ["superseded", "skipped"],
  ] as const)("that is %s ends on the wire as %s", (state, outcome) => {
    expect(outcomeOf(state)).toBe(outcome);
  });
});
