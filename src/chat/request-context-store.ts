/**
 * Small JSON values that must outlive hibernation, such as the client tools and
 * the body of the last request, in one table of an Agent:
 *
 *     const context = new RequestContextStore(this);
 *     context.set("lastClientTools", tools);
 */
import { TroupeError } from "../shared/errors.ts";
import { logWarning } from "../shared/platform/log.ts";
import type { SqlProvider } from "./sql-provider.ts";
import { runSql } from "./sql-provider.ts";

interface ContextRow {
  readonly key: string;
  readonly value: string;
}

export class RequestContextStore {
  readonly #agent: SqlProvider;
  readonly #statements: ReturnType<typeof statementsFor>;
  #isReady = false;

  /** The table is made on first use. Throws `bad_request` for a name that is no plain identifier. */
  constructor(agent: SqlProvider, table = "cf_chat_request_context") {
    this.#agent = agent;
    this.#statements = statementsFor(table);
  }

  /** The value of `key`; `undefined` when there is none or it cannot be read any more. */
  get<T = unknown>(key: string): T | undefined {
    const [row] = this.#run("get", key);
    return row && (parse(row) as T | undefined);
  }

  /** Stores any JSON value; `undefined` and `null` delete the key. */
  set(key: string, value: unknown): void {
    const json = value === undefined || value === null ? undefined : JSON.stringify(value);
    if (json === undefined) this.#run("delete", key);
    else this.#run("set", key, json);
  }

  /** Every value that can be read. */
  getAll(): Record<string, unknown> {
    const entries = this.#run("getAll").map((row) => [row.key, parse(row)] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }

  clear(): void {
    this.#run("clear");
  }

  #run(name: keyof ReturnType<typeof statementsFor>, ...values: string[]): ContextRow[] {
    if (!this.#isReady) runSql(this.#agent, this.#statements.create);
    this.#isReady = true;
    return runSql<ContextRow>(this.#agent, this.#statements[name], ...values);
  }
}

function statementsFor(table: string) {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(table)) {
    throw new TroupeError("bad_request", `"${table}" is no table name: use letters, digits and underscores.`);
  }
  return {
    create: `CREATE TABLE IF NOT EXISTS "${table}" (key TEXT PRIMARY KEY, value TEXT NOT NULL)`,
    get: `SELECT key, value FROM "${table}" WHERE key = ?`,
    set: `INSERT OR REPLACE INTO "${table}" (key, value) VALUES (?, ?)`,
    delete: `DELETE FROM "${table}" WHERE key = ?`,
    getAll: `SELECT key, value FROM "${table}" ORDER BY key`,
    clear: `DELETE FROM "${table}"`,
  };
}

function parse({ key, value }: ContextRow): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch (error) {
    logWarning("chat.context-value-unreadable", { key, error: String(error) });
    return undefined;
  }
}
