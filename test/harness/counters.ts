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

/** Counts per actor name (its class and, for a conversation, its name). */
const meters = new Map<string, { counts: Counts; cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] }>();

function meter(label: string) {
  const found = meters.get(label) ?? { counts: { statements: 0, rowsWritten: 0, rowsRead: 0, alarms: 0 }, cursors: [] };
  meters.set(label, found);
  return found;
}

/** Call first thing in a constructor: counts everything that goes through `ctx.storage`. */
export function instrument<T extends DurableObjectState>(ctx: T, label: string): T {
  const { storage } = ctx;
  const exec = storage.sql.exec.bind(storage.sql);
  storage.sql.exec = ((query: string, ...bindings: unknown[]) => {
    const cursor = exec(query, ...bindings);
    const { counts, cursors } = meter(label);
    counts.statements++;
    cursors.push(cursor);
    return cursor;
  }) as typeof storage.sql.exec;
  const setAlarm = storage.setAlarm.bind(storage);
  storage.setAlarm = (...args: Parameters<typeof setAlarm>) => {
    meter(label).counts.alarms++;
    return setAlarm(...args);
  };
  return ctx;
}

/** What the actor has done since the last `resetCounts`. */
export function countsOf(label: string): Counts {
  const { counts, cursors } = meter(label);
  const sum = (pick: (cursor: (typeof cursors)[number]) => number) => cursors.reduce((all, one) => all + pick(one), 0);
  return { ...counts, rowsWritten: sum((cursor) => cursor.rowsWritten), rowsRead: sum((cursor) => cursor.rowsRead) };
}

export function resetCounts(...labels: string[]): void {
  for (const label of labels) meters.delete(label);
}
