/** A database that counts what it does: exact numbers on any machine. */
import type { Database } from "../../src/shared/platform/database.ts";

export interface Counts {
  readonly statements: number;
  readonly rowsWritten: number;
}

/** `db`, and `take()`: what was counted since the last `take`. */
export function counted(db: Database): { readonly db: Database; take(): Counts } {
  let statements = 0;
  let rowsWritten = 0;
  const count = <T>(result: T): T => {
    statements++;
    return result;
  };
  return {
    db: {
      all: (statement, ...values) => count(db.all(statement, ...values)),
      first: (statement, ...values) => count(db.first(statement, ...values)),
      run: (statement, ...values) => {
        const rows = count(db.run(statement, ...values));
        rowsWritten += rows;
        return rows;
      },
      transaction: (body) => db.transaction(body),
    },
    take: () => {
      const counts = { statements, rowsWritten };
      statements = 0;
      rowsWritten = 0;
      return counts;
    },
  };
}
