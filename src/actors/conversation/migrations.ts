/**
 * The Conversation's tables. Each is touched by one file:
 * `messages`, `message_parts` by transcript/message-store.ts; `turns`,
 * `turn_parts` by turn/turn-log.ts; `config` by config-store.ts.
 */
import type { Migrations } from "../../shared/platform/migrate.ts";

export const migrations: Migrations = [
  [
    // seq orders messages; parent is the seq of the message before it on its branch. A body that does not fit
    // a row is NULL here and stands in message_parts.
    `CREATE TABLE messages (
       seq INTEGER PRIMARY KEY,
       id TEXT NOT NULL UNIQUE,
       parent INTEGER,
       role TEXT NOT NULL,
       bytes INTEGER NOT NULL,
       body TEXT
     )`,
    `CREATE TABLE message_parts (seq INTEGER, part INTEGER, body TEXT NOT NULL, PRIMARY KEY (seq, part)) WITHOUT ROWID`,
    // oldest_open: when the row was written, no turn before this seq was open; a restart scans from there.
    `CREATE TABLE turns (
       seq INTEGER PRIMARY KEY,
       request_id TEXT NOT NULL UNIQUE,
       state TEXT NOT NULL,
       attempts INTEGER NOT NULL,
       oldest_open INTEGER NOT NULL,
       outcome TEXT,
       body TEXT
     )`,
    `CREATE TABLE turn_parts (seq INTEGER, part INTEGER, body TEXT NOT NULL, PRIMARY KEY (seq, part)) WITHOUT ROWID`,
    `CREATE TABLE config (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`,
  ],
];
