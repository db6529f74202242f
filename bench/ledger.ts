/**
 * The numbers of a run: each is asserted where it is measured, and kept with its
 * test for the table that `npm run bench` prints.
 */
import { expect, type TestContext } from "vitest";

export interface LedgerRow {
  /** What was done. */
  readonly work: string;
  /** What of it was counted. */
  readonly counted: string;
  readonly measured: number;
  /** What the test allows: the value at hand and a little slack. Null: shown only, so that others can be read. */
  readonly ceiling: number | null;
  /** What was promised; null where the ceiling is all there is. */
  readonly promised: number | null;
}

declare module "vitest" {
  interface TaskMeta {
    ledger?: LedgerRow[];
  }
}

export interface Ledger {
  /** Asserts that `measured` is within its ceiling, and notes it. The ceiling must keep what was promised. */
  atMost(counted: string, measured: number, ceiling: number, promised?: number): void;
  /** Notes a number without a limit of its own. */
  show(counted: string, measured: number): void;
}

/** The ledger of a test for one kind of work. */
export function ledgerOf({ task }: Pick<TestContext, "task">, work: string): Ledger {
  const rows = (task.meta.ledger ??= []);
  return {
    atMost: (counted, measured, ceiling, promised) => {
      rows.push({ work, counted, measured, ceiling, promised: promised ?? null });
      expect(ceiling, `the ceiling of: ${work}, ${counted}`).toBeLessThanOrEqual(promised ?? ceiling);
      expect(measured, `${work}, ${counted}`).toBeLessThanOrEqual(ceiling);
    },
    show: (counted, measured) => void rows.push({ work, counted, measured, ceiling: null, promised: null }),
  };
}
