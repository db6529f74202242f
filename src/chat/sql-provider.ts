/** SQLite as an Agent offers it: a tagged template that binds every value. */

export type SqlBinding = string | number | boolean | null;

/** `Agent` of the Agents SDK is one. */
export interface SqlProvider {
  sql<Row = Record<string, SqlBinding>>(strings: TemplateStringsArray, ...values: SqlBinding[]): Row[];
}

/**
 * Runs one statement with `?` for each value. For statements that hold an
 * identifier: a template would bind it as a value, and SQLite takes no bound
 * identifiers. The text must not come from outside.
 */
export function runSql<Row>(provider: SqlProvider, statement: string, ...values: SqlBinding[]): Row[] {
  const strings = statement.split("?");
  return provider.sql<Row>(Object.assign(strings, { raw: strings }), ...values);
}
