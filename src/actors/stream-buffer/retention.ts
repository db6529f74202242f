/** What the StreamBuffer forgets, and when: streams that nobody has written to since a given time. */
import type { Database } from "../../shared/platform/database.ts";
import { drop, lastWrites } from "./chunk-log.ts";

export interface SweepResult {
  readonly dropped: number;
  /** When the oldest remaining stream was last written to; `null`: none is left, nothing needs another sweep. */
  readonly oldestMs: number | null;
}

/** Drops every stream, ended or not, whose last write is before `beforeMs`. */
export function sweep(db: Database, beforeMs: number): SweepResult {
  const { old = [], recent = [] } = Object.groupBy(lastWrites(db), ({ atMs }) => (atMs < beforeMs ? "old" : "recent"));
  drop(
    db,
    old.map(({ streamId }) => streamId),
  );
  const oldestMs = recent.reduce<number | null>((oldest, { atMs }) => Math.min(oldest ?? atMs, atMs), null);
  return { dropped: old.length, oldestMs };
}
