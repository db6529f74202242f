/** Databases with the Conversation's tables, in real objects, each test with its own. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { migrations } from "../../src/actors/conversation/migrations.ts";
import { type Database, openDatabase } from "../../src/shared/platform/database.ts";
import { migrate } from "../../src/shared/platform/migrate.ts";

const namespace = (env as unknown as { BareAgent: DurableObjectNamespace }).BareAgent;

/** Runs `body` over a new, migrated database. */
export function inConversationDatabase<T>(body: (db: Database) => T | Promise<T>): Promise<T> {
  return runInDurableObject(namespace.getByName(crypto.randomUUID()), (_, state) => {
    const db = openDatabase(state.storage);
    migrate(db, migrations);
    return body(db);
  });
}
