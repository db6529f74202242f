/**
 * SQLite of one actor: typed rows out, one transaction at a time, no await inside.
 *
 * The statements of a table stand in the one file that owns it. `transaction`
 * takes a callback that cannot be async by type; what throws in it rolls back.
 */

export type SqlValue = string | number | null | ArrayBuffer;

export interface Database {
  /** Runs one statement and returns its rows. */
  all<Row extends object>(statement: string, ...values: SqlValue[]): Row[];
  /** Runs one statement and returns its first row. */
  first<Row extends object>(statement: string, ...values: SqlValue[]): Row | undefined;
  /** Runs one statement and returns how many rows it wrote, index rows included; 0 means that nothing matched. */
  run(statement: string, ...values: SqlValue[]): number;
  /** All or nothing. Nested calls join the outer transaction. */
  transaction<T>(body: () => T extends PromiseLike<unknown> ? never : T): T;
}

/** Where a database counts what it does. */
export interface SqlTotals {
  statements: number;
  rowsRead: number;
  rowsWritten: number;
}

/** The part of `DurableObjectStorage` that a database needs. */
export type SqlStorageLike = Pick<DurableObjectStorage, "sql" | "transactionSync">;

/** Adds what each statement did to `totals`. */
export function openDatabase(storage: SqlStorageLike, totals?: SqlTotals): Database {
  const execute = (statement: string, values: SqlValue[]) => {
    const cursor = storage.sql.exec(statement, ...values);
    const rows = cursor.toArray();
    if (totals !== undefined) {
      totals.statements++;
      totals.rowsRead += cursor.rowsRead;
      totals.rowsWritten += cursor.rowsWritten;
    }
    return { rows, rowsWritten: cursor.rowsWritten };
  };
  const rows = <Row extends object>(statement: string, values: SqlValue[]): Row[] =>
    execute(statement, values).rows as Row[];
  return {
    all: <Row extends object>(statement: string, ...values: SqlValue[]) => rows<Row>(statement, values),
    first: <Row extends object>(statement: string, ...values: SqlValue[]) => rows<Row>(statement, values)[0],
    run: (statement, ...values) => execute(statement, values).rowsWritten,
    transaction: <T>(body: () => T extends PromiseLike<unknown> ? never : T): T =>
      storage.transactionSync(body as () => T),
  };
}
