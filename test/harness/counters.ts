/**
 * What an actor costs, counted at its storage: statements, rows written (index
 * rows and the Agent's own included), alarms set. Counts are exact on any machine.
 */

export interface Counts {
  statements: number;
  rowsWritten: number;
  rowsRead: number;
  alarms: number;
}

interface Meter {
  readonly counts: Counts;
  readonly cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[];
}

/** One per actor that is measured. A cursor counts on while it is read, so cursors are kept until they are summed. */
const meters = new Map<string, Meter>();

/** A crash that is to come: at the n-th point that its actor passes. */
const crashes = new Map<string, { left: number; passed: number }>();

/**
 * Lets the actor lose its memory at the n-th point from now (from 0). Points are
 * derived from what it does: each SQL statement and each call to another actor.
 */
export function crashAt(label: string, n: number): void {
  crashes.set(label, { left: n, passed: 0 });
}

/** How many points the actor has passed since `crashAt`; forgets the crash. */
export function pointsPassed(label: string): number {
  const passed = crashes.get(label)?.passed ?? 0;
  crashes.delete(label);
  return passed;
}

/** One point. At the chosen one the object is gone: what it wrote since its last await with it. */
export function point(ctx: Pick<DurableObjectState, "abort">, label: string): void {
  const crash = crashes.get(label);
  if (crash === undefined) return;
  crash.passed++;
  if (crash.left-- === 0) ctx.abort("crash point");
}

/** Call first thing in a constructor: counts everything that goes through `ctx.storage`. */
export function instrument<T extends DurableObjectState>(ctx: T, label: string): T {
  const { storage } = ctx;
  const exec = storage.sql.exec.bind(storage.sql);
  storage.sql.exec = ((query: string, ...bindings: unknown[]) => {
    point(ctx, label);
    const cursor = exec(query, ...bindings);
    const meter = meters.get(label);
    if (meter !== undefined) {
      meter.counts.statements++;
      meter.cursors.push(cursor);
    }
    return cursor;
  }) as typeof storage.sql.exec;
  const setAlarm = storage.setAlarm.bind(storage);
  storage.setAlarm = (...args: Parameters<typeof setAlarm>) => {
    const meter = meters.get(label);
    if (meter !== undefined) meter.counts.alarms++;
    return setAlarm(...args);
  };
  return ctx;
}

/** What the actor has done since `resetCounts`, which begins the counting. */
export function countsOf(label: string): Counts {
  const { counts, cursors } = meters.get(label) ?? newMeter();
  const sum = (pick: (cursor: Meter["cursors"][number]) => number) => cursors.reduce((all, one) => all + pick(one), 0);
  return { ...counts, rowsWritten: sum((cursor) => cursor.rowsWritten), rowsRead: sum((cursor) => cursor.rowsRead) };
}

/** Begins to count these actors, from nothing; call it before they exist to count their start too. */
export function resetCounts(...labels: string[]): void {
  for (const label of labels) meters.set(label, newMeter());
}

function newMeter(): Meter {
  return { counts: { statements: 0, rowsWritten: 0, rowsRead: 0, alarms: 0 }, cursors: [] };
}
