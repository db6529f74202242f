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

/** The part of `DurableObjectStorage` that a database needs. */
export type SqlStorageLike = Pick<DurableObjectStorage, "sql" | "transactionSync">;

export function openDatabase(storage: SqlStorageLike): Database {
  const rows = <Row extends object>(statement: string, values: SqlValue[]): Row[] =>
    storage.sql.exec(statement, ...values).toArray() as Row[];
  return {
    all: <Row extends object>(statement: string, ...values: SqlValue[]) => rows<Row>(statement, values),
    first: <Row extends object>(statement: string, ...values: SqlValue[]) => rows<Row>(statement, values)[0],
    run: (statement, ...values) => {
      const cursor = storage.sql.exec(statement, ...values);
      cursor.toArray();
      return cursor.rowsWritten;
    },
    transaction: <T>(body: () => T extends PromiseLike<unknown> ? never : T): T =>
      storage.transactionSync(body as () => T),
  };
}
