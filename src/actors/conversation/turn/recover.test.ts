import { describe, expect, it } from "vitest";
import type { StreamEnd } from "../../stream-buffer/contract.ts";
import { INTERRUPTED, recover } from "./recover.ts";
import { TURN_STATES, type TurnState } from "./turn-state.ts";

const ends: Record<string, StreamEnd | null> = {
  "no end": null,
  finished: { kind: "finished" },
  failed: { kind: "failed", message: "model gone" },
};

const run = { kind: "run" } as const;
const leave = { kind: "leave" } as const;
const complete = { kind: "complete" } as const;
const fail = { kind: "fail", error: INTERRUPTED } as const;

/** What to do, by the state that was found and what the buffer says: no end, finished, failed. */
const table: Record<TurnState, readonly [unknown, unknown, unknown]> = {
  queued: [run, run, run],
  running: [fail, complete, fail],
  waiting: [leave, leave, leave],
  completed: [leave, leave, leave],
  failed: [leave, leave, leave],
  aborted: [leave, leave, leave],
  superseded: [leave, leave, leave],
};

describe("recover", () => {
  it.each(TURN_STATES.flatMap((state) => Object.keys(ends).map((end, at) => ({ state, end, at }))))(
    "$state with $end",
    ({ state, end, at }) => {
      expect(recover(state, ends[end] ?? null)).toEqual(table[state][at]);
    },
  );
});
