/** A clock that stands still until a test moves it. */
import type { Clock } from "../../src/shared/clock.ts";

export interface ManualClock extends Clock {
  /** Timers that have neither fired nor been stopped. */
  readonly pending: number;
  /** Moves on, and fires what is due on the way in order. */
  advance(ms: number): void;
  /** Drops every timer, as happens when the object that set them dies. */
  forget(): void;
}

export function manualClock(startMs = 1_000_000): ManualClock {
  let nowMs = startMs;
  const timers = new Set<{ readonly dueMs: number; readonly fire: () => void }>();
  const nextDue = (untilMs: number) =>
    [...timers].filter(({ dueMs }) => dueMs <= untilMs).toSorted((a, b) => a.dueMs - b.dueMs)[0];
  return {
    now: () => nowMs,
    after: (ms, fire) => {
      const timer = { dueMs: nowMs + ms, fire };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    get pending() {
      return timers.size;
    },
    forget: () => timers.clear(),
    advance: (ms) => {
      const untilMs = nowMs + ms;
      for (let timer = nextDue(untilMs); timer; timer = nextDue(untilMs)) {
        timers.delete(timer);
        nowMs = Math.max(nowMs, timer.dueMs);
        timer.fire();
      }
      nowMs = untilMs;
    },
  };
}
