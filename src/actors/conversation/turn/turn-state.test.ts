import { describe, expect, it } from "vitest";
import { isTerminal, nextTurnState, OPEN_STATES, TURN_EVENTS, TURN_STATES } from "./turn-state.ts";

describe("turn states", () => {
  it("is a full table of states by events", () => {
    const rows = TURN_STATES.map((state) =>
      [state, ...TURN_EVENTS.map((event) => nextTurnState(state, event) ?? "-")].join(" "),
    );
    expect(rows).toEqual([
      "queued running - - - failed aborted superseded",
      "running - waiting - completed failed aborted -",
      "waiting - - running completed failed aborted superseded",
      "completed - - - - - - -",
      "failed - - - - - - -",
      "aborted - - - - - - -",
      "superseded - - - - - - -",
    ]);
  });

  it("never leaves a terminal state and can end every open one", () => {
    expect(OPEN_STATES).toEqual(["queued", "running", "waiting"]);
    for (const state of OPEN_STATES) {
      expect(TURN_EVENTS.some((event) => isTerminal(nextTurnState(state, event) ?? state))).toBe(true);
    }
  });
});
