/** The schema of the StreamBuffer's own database. */
import type { Migrations } from "../../shared/platform/migrate.ts";

/**
 * One table, one row per append. What is known of a stream (last seq, end,
 * time of the last write) stands in its newest row, so no second row has to be
 * kept in step. `body` is last: reading the other columns of a large row does
 * not touch its overflow pages. A row that tells only an end has
 * `to_seq = from_seq - 1` and no entries.
 */
export const migrations: Migrations = [
  [
    `CREATE TABLE batches (
      stream_id TEXT NOT NULL,
      from_seq INTEGER NOT NULL,
      part INTEGER NOT NULL,
      to_seq INTEGER NOT NULL,
      at_ms INTEGER NOT NULL,
      ending TEXT,
      body TEXT NOT NULL,
      PRIMARY KEY (stream_id, from_seq, part)
    ) WITHOUT ROWID`,
  ],
];
