import { describe, expect, it } from "vitest";
import { randomFrom } from "../../../../test/harness/random.ts";
import { seeds } from "../../../../test/harness/seeds.ts";
import {
  isBatchDue,
  isKeeping,
  isSending,
  newWriterState,
  nextWriterState,
  WRITER_PHASES,
  type WriterEvent,
  type WriterState,
} from "./writer-state.ts";

const finished = { kind: "finished" } as const;
const events: readonly [string, WriterEvent][] = [
  ["written", { kind: "chunk-written" }],
  ["flush", { kind: "flush-asked" }],
  ["end", { kind: "end-asked", end: finished }],
  ["stored", { kind: "batch-stored", lastSeq: 5, withEnd: false }],
  ["stored-end", { kind: "batch-stored", lastSeq: 5, withEnd: true }],
  ["refused", { kind: "batch-refused" }],
  ["discarded", { kind: "discarded" }],
];

const endings: readonly [WriterEvent, ...WriterEvent[]] = [
  { kind: "end-asked", end: finished },
  { kind: "batch-refused" },
  { kind: "discarded" },
];

const phasesThat = (is: (state: WriterState) => boolean) =>
  WRITER_PHASES.filter((phase) => is({ ...newWriterState, phase, lastSeq: 3, wantedSeq: 3, storedSeq: 2 }));

describe("a writer's state", () => {
  it("is a full table of phases by events", () => {
    const rows = WRITER_PHASES.map((phase) => {
      const state: WriterState = { ...newWriterState, phase, lastSeq: 5 };
      return [phase, ...events.map(([, event]) => nextWriterState(state, event).phase)].join(" ");
    });
    expect(events.map(([name]) => name).join(" ")).toBe("written flush end stored stored-end refused discarded");
    expect(rows).toEqual([
      "open open open closing open closed degraded discarded",
      "closing closing closing closing closing closed degraded discarded",
      "closed closed closed closed closed closed closed discarded",
      "degraded degraded degraded degraded degraded degraded degraded discarded",
      "discarded discarded discarded discarded discarded discarded discarded discarded",
    ]);
  });

  it("keeps chunks until the end is known, and sends until it is stored or refused", () => {
    expect(phasesThat(isKeeping)).toEqual(["open", "degraded"]);
    expect(phasesThat(isSending)).toEqual(["open", "closing"]);
    expect(phasesThat(isBatchDue)).toEqual(["open", "closing"]);
  });

  it("keeps its first end", () => {
    const closing = nextWriterState(newWriterState, { kind: "end-asked", end: finished });
    const again = nextWriterState(closing, { kind: "end-asked", end: { kind: "failed", message: "late" } });
    expect(again.end).toEqual(finished);
  });

  it.each(seeds(20))("never counts back and never stores what was not written (seed %i)", (seed) => {
    const random = randomFrom(seed);
    let state = newWriterState;
    for (let step = 0; step < 200; step++) {
      const sent = state.storedSeq + random.below(state.lastSeq - state.storedSeq + 1);
      const event = random.pick<WriterEvent>([
        { kind: "chunk-written" },
        { kind: "chunk-written" },
        { kind: "flush-asked" },
        { kind: "batch-stored", lastSeq: sent, withEnd: state.phase === "closing" },
        random.chance(0.9) ? { kind: "flush-asked" } : random.pick(endings),
      ]);
      const next = nextWriterState(state, event);
      expect(next.lastSeq).toBeGreaterThanOrEqual(state.lastSeq);
      expect(next.storedSeq).toBeGreaterThanOrEqual(state.storedSeq);
      expect(next.storedSeq).toBeLessThanOrEqual(next.lastSeq);
      expect(next.wantedSeq).toBeLessThanOrEqual(next.lastSeq);
      state = next;
    }
  });
});
