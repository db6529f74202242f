/**
 * Numbered migrations of one actor. Each runs once, in order, inside a
 * transaction; an actor calls this in its constructor, because a synchronous
 * RPC method runs before `onStart` on a cold object.
 */
import type { Database } from "./database.ts";

/** Migration n is the n-th statement list; never change one that was released, add another. */
export type Migrations = readonly (readonly string[])[];

export function migrate(db: Database, migrations: Migrations): void {
  const version = currentVersion(db);
  if (version >= migrations.length) return;
  db.transaction(() => {
    for (const statements of migrations.slice(version)) for (const statement of statements) db.run(statement);
    db.run("CREATE TABLE IF NOT EXISTS migrations (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL)");
    db.run("INSERT OR REPLACE INTO migrations (id, version) VALUES (1, ?)", migrations.length);
  });
}

function currentVersion(db: Database): number {
  const table = db.first("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'migrations'");
  return table === undefined ? 0 : (db.first<{ version: number }>("SELECT version FROM migrations")?.version ?? 0);
}
