/** Private configuration: one JSON value, durable, never sent to clients. Owns `config`; imports older homes of it once. */
import { TroupeError } from "../../shared/errors.ts";
import type { Database } from "../../shared/platform/database.ts";

const KEY = "config";
/** Where earlier frameworks kept it: table, key column filter. Read once, left in place. */
const LEGACY = [
  { table: "think_config", where: "key = '_think_config'" },
  { table: "assistant_config", where: "key = '_think_config'" },
] as const;

export class ConfigStore {
  readonly #db: Database;
  #cached: { readonly json: string | null } | null = null;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Stores a JSON value. Throws `bad_request` for what JSON cannot hold. */
  set(value: unknown): void {
    const json = JSON.stringify(value) as string | undefined;
    if (json === undefined) throw new TroupeError("bad_request", "configure() takes a value that JSON can hold.");
    this.#db.run("INSERT OR REPLACE INTO config (key, value) VALUES (?, ?)", KEY, json);
    this.#cached = { json };
  }

  /** A fresh copy of the value; null before the first `set`. */
  get(): unknown {
    this.#cached ??= { json: this.#read() };
    return this.#cached.json === null ? null : (JSON.parse(this.#cached.json) as unknown);
  }

  #read(): string | null {
    const row = this.#db.first<{ value: string }>("SELECT value FROM config WHERE key = ?", KEY);
    return row?.value ?? this.#legacy();
  }

  #legacy(): string | null {
    for (const { table, where } of LEGACY) {
      const exists = this.#db.first("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table);
      const row = exists && this.#db.first<{ value: string }>(`SELECT value FROM ${table} WHERE ${where} LIMIT 1`);
      if (row && isJson(row.value)) {
        this.#db.run("INSERT INTO config (key, value) VALUES (?, ?)", KEY, row.value);
        return row.value;
      }
    }
    return null;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
