/**
 * The log of chunks: free functions over `(db, request)`, one transaction each.
 *
 * Owns the table `batches`. An append is one row (more only if its JSON is over
 * the row limit); a stream's seqs are contiguous from 1; after a row with an
 * end no row follows.
 */
import { errorText, TroupeError } from "../../shared/errors.ts";
import { utf8Bytes } from "../../shared/json-limits.ts";
import type { Database } from "../../shared/platform/database.ts";
import { splitText } from "../../shared/split-text.ts";
import type { AppendRequest, AppendResult, ChunkEntry, ReadRequest, ReadResult, StreamEnd } from "./contract.ts";
import { entriesAfter, joinEntries } from "./frames.ts";

export const DEFAULT_READ_BYTES = 256 * 1024;
/** Batches looked at by one read, whatever its budget of bytes. */
const MAX_BATCHES_PER_READ = 512;

const statements = {
  newest: `SELECT to_seq, ending FROM batches WHERE stream_id = ?
    ORDER BY from_seq DESC, part DESC LIMIT 1`,
  insert: `INSERT INTO batches (stream_id, from_seq, part, to_seq, at_ms, ending, body)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
  /** Batches that reach behind a seq, with their sizes: octet_length does not load the body. */
  sizes: `SELECT from_seq, SUM(octet_length(body)) AS bytes FROM batches
    WHERE stream_id = ?1 AND to_seq > ?2 AND from_seq >= COALESCE(
      (SELECT MAX(from_seq) FROM batches WHERE stream_id = ?1 AND from_seq <= ?2), 0)
    GROUP BY from_seq ORDER BY from_seq LIMIT ?3`,
  bodies: `SELECT from_seq, body FROM batches
    WHERE stream_id = ? AND from_seq BETWEEN ? AND ? ORDER BY from_seq, part`,
  drop: `DELETE FROM batches WHERE stream_id = ?`,
  /** Hops from one stream to the next over the primary key, without touching the rows between. */
  lastWrites: `WITH RECURSIVE streams (id) AS (
      SELECT MIN(stream_id) FROM batches
      UNION ALL
      SELECT (SELECT MIN(stream_id) FROM batches WHERE stream_id > streams.id) FROM streams WHERE id IS NOT NULL
    )
    SELECT id, (SELECT at_ms FROM batches WHERE stream_id = id ORDER BY from_seq DESC, part DESC LIMIT 1) AS at_ms
    FROM streams WHERE id IS NOT NULL`,
} as const;

/** What is known of a stream; an unknown one is empty. */
interface StreamHead {
  readonly lastSeq: number;
  readonly end: StreamEnd | null;
}

/** Stores what of `request` is new. Throws `bad_request` for a chunk that is not JSON. */
export function append(db: Database, request: AppendRequest): AppendResult {
  const { streamId } = request;
  return db.transaction((): AppendResult => {
    const head = headOf(db, streamId);
    const fresh = entriesAfter(request.entries, head.lastSeq);
    if (head.end) return answer(isRepeat(head.end, fresh, request.end) ? "stored" : "ended", head.lastSeq);
    if (fresh[0] && fresh[0].from !== head.lastSeq + 1) return answer("gap", head.lastSeq);
    if (fresh.length === 0 && !request.end) return answer("stored", head.lastSeq);
    const lastSeq = fresh.at(-1)?.to ?? head.lastSeq;
    const ending = request.end ? JSON.stringify(request.end) : null;
    splitText(jsonOf(fresh)).forEach((body, part) =>
      db.run(statements.insert, streamId, head.lastSeq + 1, part, lastSeq, request.atMs, ending, body),
    );
    return answer("stored", lastSeq);
  });
}

/** The next page of a stream. Three statements, however long the stream is. */
export function read(db: Database, request: ReadRequest): ReadResult {
  const { streamId, after, maxBytes = DEFAULT_READ_BYTES } = request;
  const head = headOf(db, streamId);
  const stored = entriesAfter(storedEntries(db, request, maxBytes), after);
  const entries = joinEntries(fitting(stored, maxBytes));
  const last = entries.at(-1)?.to ?? Math.max(after, head.lastSeq);
  return { entries, lastSeq: head.lastSeq, end: head.end, more: last < head.lastSeq };
}

/** Forgets these streams, all or none. */
export function drop(db: Database, streamIds: readonly string[]): void {
  db.transaction(() => {
    for (const streamId of streamIds) db.run(statements.drop, streamId);
  });
}

/** Every stream with the time of its last write. */
export function lastWrites(db: Database): { readonly streamId: string; readonly atMs: number }[] {
  const rows = db.all<{ id: string; at_ms: number }>(statements.lastWrites);
  return rows.map((row) => ({ streamId: row.id, atMs: row.at_ms }));
}

function headOf(db: Database, streamId: string): StreamHead {
  const row = db.first<{ to_seq: number; ending: string | null }>(statements.newest, streamId);
  if (row === undefined) return { lastSeq: 0, end: null };
  return { lastSeq: row.to_seq, end: row.ending === null ? null : (JSON.parse(row.ending) as StreamEnd) };
}

/** Whether an ended stream already has everything that is asked of it. */
function isRepeat(stored: StreamEnd, fresh: readonly ChunkEntry[], end: StreamEnd | undefined): boolean {
  if (fresh.length > 0) return false;
  if (end === undefined || end.kind === "finished") return end === undefined || stored.kind === "finished";
  return stored.kind === "failed" && stored.message === end.message;
}

/** The entries of whole batches from the one that holds `after + 1`, up to `maxBytes`, at least one batch. */
function storedEntries(db: Database, { streamId, after }: ReadRequest, maxBytes: number): ChunkEntry[] {
  const sizes = db.all<{ from_seq: number; bytes: number }>(statements.sizes, streamId, after, MAX_BATCHES_PER_READ);
  const first = sizes[0];
  if (first === undefined) return [];
  let last = first;
  let bytes = 0;
  for (const size of sizes) {
    bytes += size.bytes;
    if (bytes > maxBytes) break;
    last = size;
  }
  const rows = db.all<{ from_seq: number; body: string }>(statements.bodies, streamId, first.from_seq, last.from_seq);
  const bodies = Map.groupBy(rows, (row) => row.from_seq).values();
  return [...bodies].flatMap((parts) => JSON.parse(parts.map((part) => part.body).join("")) as ChunkEntry[]);
}

/** As many leading entries as fit, at least one. */
function fitting(entries: readonly ChunkEntry[], maxBytes: number): readonly ChunkEntry[] {
  let bytes = 0;
  const tooMuch = entries.findIndex((entry, at) => {
    bytes += utf8Bytes(JSON.stringify(entry));
    return at > 0 && bytes > maxBytes;
  });
  return tooMuch === -1 ? entries : entries.slice(0, tooMuch);
}

function jsonOf(entries: readonly ChunkEntry[]): string {
  try {
    return JSON.stringify(entries);
  } catch (error) {
    throw new TroupeError("bad_request", `A chunk is not JSON: ${errorText(error)}`, { cause: error });
  }
}

function answer(status: AppendResult["status"], lastSeq: number): AppendResult {
  return { status, lastSeq };
}
