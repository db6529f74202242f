import { describe, expect, it } from "vitest";
import { recordingConnection } from "../../test/harness/recording-connection.ts";
import type { Continuation } from "./continuation-state.ts";
import { ContinuationState } from "./continuation-state.ts";

const shape = (state: ContinuationState): string =>
  [state.pending, state.active, state.deferred].map((held: Continuation | null) => held?.requestId ?? "-").join(" ");

/** Every state there is, as `pending active deferred`, and how to get there. */
const STATES: Record<string, (state: ContinuationState) => void> = {
  "- - -": () => {},
  "p - -": (state) => state.request({ requestId: "p" }),
  "- a -": (state) => {
    state.request({ requestId: "a" });
    state.activate();
  },
  "- a d": (state) => {
    state.request({ requestId: "a" });
    state.activate();
    state.request({ requestId: "d" });
  },
};
const EVENTS: Record<string, (state: ContinuationState) => string> = {
  request: (state) => state.request({ requestId: "new" }),
  activate: (state) => state.activate()?.requestId ?? "null",
  finish: (state) => state.finish()?.requestId ?? "null",
  clearAll: (state) => String(state.clearAll().length),
};

describe("ContinuationState (F80)", () => {
  it("is a full table of states by events", () => {
    const rows = Object.entries(STATES).flatMap(([name, enter]) =>
      Object.entries(EVENTS).map(([event, apply]) => {
        const state = new ContinuationState();
        enter(state);
        expect(shape(state)).toBe(name);
        const answer = apply(state);
        return `${name} | ${event} ${answer} | ${shape(state)}`;
      }),
    );
    expect(rows).toEqual([
      "- - - | request pending | new - -",
      "- - - | activate null | - - -",
      "- - - | finish null | - - -",
      "- - - | clearAll 0 | - - -",
      "p - - | request joined | p - -",
      "p - - | activate p | - p -",
      "p - - | finish null | p - -",
      "p - - | clearAll 0 | - - -",
      "- a - | request deferred | - a new",
      "- a - | activate null | - a -",
      "- a - | finish null | - - -",
      "- a - | clearAll 0 | - - -",
      "- a d | request joined | - a d",
      "- a d | activate null | - a d",
      "- a d | finish d | d - -",
      "- a d | clearAll 0 | - - -",
    ]);
  });

  it("joins with the newer tools and body under the first request id", () => {
    const state = new ContinuationState();
    state.request({ requestId: "1", connectionId: "c", body: { a: 1 } });
    state.request({ requestId: "2", clientTools: [{ name: "ask" }], body: { a: 2 } });
    expect(state.pending).toEqual({
      requestId: "1",
      connectionId: "c",
      clientTools: [{ name: "ask" }],
      body: { a: 2 },
    });
  });

  it("keeps waiting connections until they are taken, forgotten or cleared", () => {
    const state = new ContinuationState();
    const [a, b] = [recordingConnection("a"), recordingConnection("b")];
    for (const connection of [a, b, a]) state.await(connection);
    state.forget("b");
    state.forget("unknown");
    expect(state.takeAwaiting()).toEqual([a]);
    expect(state.takeAwaiting()).toEqual([]);
    state.await(b);
    state.request({ requestId: "p" });
    expect(state.clearAll()).toEqual([b]);
    expect([shape(state), state.awaitingConnections.size]).toEqual(["- - -", 0]);
  });
});
