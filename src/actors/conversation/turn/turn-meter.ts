/**
 * What turns cost: running totals of one object, and what they were when the
 * turn that is measured began and ended.
 *
 * Owns the totals; whoever does the work adds to them. In memory only: what a
 * turn cost is forgotten with the object. Turns run one after the other, so at
 * most one is measured at a time.
 */
import type { TurnCost } from "../contract.ts";

/** What an object has done since it woke. Only ever grows. */
export interface Totals {
  statements: number;
  rowsRead: number;
  rowsWritten: number;
  chunks: number;
  frames: number;
  frameBytes: number;
  readonly actorCalls: Record<string, number>;
}

interface Measured {
  readonly requestId: string;
  readonly startedAtMs: number;
  readonly before: Totals;
  readonly end: { readonly atMs: number; readonly totals: Totals } | null;
}

export class TurnMeter {
  readonly totals: Totals = newTotals();
  #measured: Measured | null = null;

  /** Begins to measure this turn, unless it is measured already. */
  begin(requestId: string, nowMs: number): void {
    if (this.#measured?.requestId === requestId && this.#measured.end === null) return;
    this.#measured = { requestId, startedAtMs: nowMs, before: copyOf(this.totals), end: null };
  }

  /** The turn is over; what comes later is not its work. */
  end(requestId: string, nowMs: number): void {
    const measured = this.#measured;
    if (measured?.requestId !== requestId || measured.end !== null) return;
    this.#measured = { ...measured, end: { atMs: nowMs, totals: copyOf(this.totals) } };
  }

  /** The newest turn that was measured and what it has cost so far; null before the first one. */
  newest(): { readonly requestId: string; readonly cost: TurnCost } | null {
    if (this.#measured === null) return null;
    const { requestId, startedAtMs, before, end } = this.#measured;
    const cost = difference(before, end?.totals ?? this.totals);
    return { requestId, cost: { startedAtMs, endedAtMs: end?.atMs ?? null, ...cost } };
  }
}

function newTotals(): Totals {
  return { statements: 0, rowsRead: 0, rowsWritten: 0, chunks: 0, frames: 0, frameBytes: 0, actorCalls: {} };
}

function copyOf(totals: Totals): Totals {
  return { ...totals, actorCalls: { ...totals.actorCalls } };
}

function difference(before: Totals, after: Totals): Totals {
  const calls = Object.entries(after.actorCalls).map(([verb, count]) => [verb, count - (before.actorCalls[verb] ?? 0)]);
  return {
    statements: after.statements - before.statements,
    rowsRead: after.rowsRead - before.rowsRead,
    rowsWritten: after.rowsWritten - before.rowsWritten,
    chunks: after.chunks - before.chunks,
    frames: after.frames - before.frames,
    frameBytes: after.frameBytes - before.frameBytes,
    actorCalls: Object.fromEntries(calls.filter(([, count]) => count !== 0)),
  };
}
