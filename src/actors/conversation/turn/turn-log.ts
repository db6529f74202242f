/**
 * The durable record of every turn.
 *
 * Owns `turns` and `turn_parts`. A record is written before anything else of a
 * turn happens, and it is the turn's fence: each later write of the turn first
 * moves the record on, so what a cleared conversation or a newer isolate has
 * taken over can no longer be written (`false`). A damaged row is skipped with a
 * warning: it counts as no record.
 */
import type { Database } from "../../../shared/platform/database.ts";
import { logWarning } from "../../../shared/platform/log.ts";
import { partedText, type PartedText } from "../../../shared/platform/parted-text.ts";
import { nextTurnState, OPEN_STATES, type TurnEvent, type TurnState } from "./turn-state.ts";
import { parseSegmentId, segmentIdOf, streamIdOf, type Turn, type TurnEnding } from "./turn.ts";

export interface TurnRecord {
  readonly seq: number;
  readonly state: TurnState;
  /** Model runs begun, counted before the model is called. Each is a segment of its own. */
  readonly attempts: number;
  /** The segment that is meant, from 1: the newest, unless the record was found by the request id of an earlier one. */
  readonly segment: number;
  /** The request id of that segment. */
  readonly requestId: string;
  readonly turn: Turn;
  /** How the turn ended, or, found by the request id of a segment that did, how that ended. */
  readonly ending: TurnEnding | null;
}

interface TurnRow {
  seq: number;
  state: TurnState;
  attempts: number;
  oldest_open: number;
  outcome: string | null;
  body: string | null;
}

const statements = {
  newest: "SELECT seq, oldest_open FROM turns ORDER BY seq DESC LIMIT 1",
  insert: "INSERT INTO turns (seq, request_id, state, attempts, oldest_open, body) VALUES (?, ?, ?, ?, ?, ?)",
  byRequest: "SELECT * FROM turns WHERE request_id = ?",
  // A damaged body names no turn; those that can be asked for are recent.
  byTurn: `SELECT * FROM turns WHERE seq > (SELECT MAX(seq) FROM turns) - 256
    AND CASE WHEN json_valid(body) THEN json_extract(body, '$.turnId') END = ?`,
  from: "SELECT * FROM turns WHERE seq >= ? ORDER BY seq",
  advance: "UPDATE turns SET state = ?, attempts = ?, outcome = ? WHERE seq = ? AND state = ?",
  rewrite: "UPDATE turns SET body = ? WHERE seq = ?",
  // A damaged body must not keep anybody from clearing: it has no id.
  recentIds: `SELECT CASE WHEN json_valid(body) THEN json_extract(body, '$.turnId') END AS id, attempts
    FROM turns ORDER BY seq DESC LIMIT ?`,
  clear: "DELETE FROM turns",
} as const;

export class TurnLog {
  readonly #db: Database;
  readonly #parts: PartedText;
  /** The highest seq given out here. Clearing empties the table; a turn that still unwinds must not meet its seq again. */
  #lastSeq = 0;

  constructor(db: Database) {
    this.#db = db;
    this.#parts = partedText(db, "turn_parts");
  }

  /** Records an admitted turn. The request id must be new. Call inside a transaction. */
  admit(turn: Turn, state: "queued" | "running"): TurnRecord {
    const newest = this.#db.first<{ seq: number; oldest_open: number }>(statements.newest);
    const seq = Math.max(newest?.seq ?? 0, this.#lastSeq) + 1;
    this.#lastSeq = seq;
    const attempts = state === "running" ? 1 : 0;
    const oldestOpen = this.open()[0]?.seq ?? seq;
    const body = this.#parts.write(seq, bodyOf(turn, state));
    this.#db.run(statements.insert, seq, turn.requestId, state, attempts, oldestOpen, body);
    return recordOf(seq, state, attempts, turn, null);
  }

  /** The record that a request id names, seen from its segment: of a turn, or of one of its later segments. */
  byRequest(requestId: string): TurnRecord | null {
    const record = this.turnOf(requestId);
    if (record === null) return null;
    const isFirst = record.turn.requestId === requestId;
    return asSegment(record, isFirst ? 1 : (parseSegmentId(requestId)?.segment ?? 1));
  }

  /** The turn that a request id belongs to, as it is now. */
  turnOf(requestId: string): TurnRecord | null {
    const first = this.#db.first<TurnRow>(statements.byRequest, requestId);
    if (first !== undefined) return this.#read(first);
    const named = parseSegmentId(requestId);
    const later = named === null ? undefined : this.#db.first<TurnRow>(statements.byTurn, named.turnId);
    return later === undefined ? null : this.#read(later);
  }

  /** The turn that waits for a person or a browser; there is at most one. */
  waiting(): TurnRecord | null {
    return this.open().find((record) => record.state === "waiting") ?? null;
  }

  /** Turns without an ending, in order of admission. */
  open(): TurnRecord[] {
    const newest = this.#db.first<{ seq: number; oldest_open: number }>(statements.newest);
    if (newest === undefined) return [];
    const rows = this.#db.all<TurnRow>(statements.from, newest.oldest_open);
    return rows.filter((row) => OPEN_STATES.includes(row.state)).flatMap((row) => this.#read(row) ?? []);
  }

  /**
   * Moves a turn on. False when its record is gone or in another state than
   * `record` says, or when the event means nothing in that state: the caller
   * has lost the turn and writes nothing. Call inside a transaction.
   */
  advance(record: TurnRecord, event: TurnEvent, ending: TurnEnding | null = null): boolean {
    const next = nextTurnState(record.state, event);
    if (next === null) return false;
    const attempts = record.attempts + (next === "running" ? 1 : 0);
    const outcome = ending === null ? null : JSON.stringify(ending);
    const isMoved = this.#db.run(statements.advance, next, attempts, outcome, record.seq, record.state) > 0;
    if (!isMoved || event !== "start") return isMoved;
    this.rewrite({ ...record, state: next }, record.turn);
    return true;
  }

  /** What an open turn has learned since it was admitted. Call inside a transaction, behind `advance` or in place of it. */
  rewrite(record: TurnRecord, turn: Turn): void {
    this.#parts.drop(record.seq);
    this.#db.run(statements.rewrite, this.#parts.write(record.seq, bodyOf(turn, record.state)), record.seq);
  }

  /** The streams of the newest `limit` turns, as far as their rows tell: those that may still be kept. */
  recentStreams(limit: number): string[] {
    const rows = this.#db.all<{ id: unknown; attempts: number }>(statements.recentIds, limit);
    return rows.flatMap(({ id, attempts }) =>
      typeof id === "string" ? Array.from({ length: attempts }, (_, at) => streamIdOf({ turnId: id }, at + 1)) : [],
    );
  }

  /** Deletes every record. Call inside a transaction. */
  clear(): void {
    this.#db.run(statements.clear);
    this.#parts.dropUpTo();
  }

  #read(row: TurnRow): TurnRecord | null {
    const body = this.#parts.read(row.seq, row.body);
    try {
      if (body === null) throw new SyntaxError("its parts are gone");
      const turn = JSON.parse(body) as Turn;
      const ending = row.outcome === null ? null : (JSON.parse(row.outcome) as TurnEnding);
      return recordOf(row.seq, row.state, row.attempts, turn, ending);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      logWarning("turns.damaged-row", { seq: row.seq, problem: error.message });
      return null;
    }
  }
}

/** A turn as its record keeps it: its messages only while it waits, for then they are nowhere else. */
function bodyOf(turn: Turn, state: TurnState): string {
  return JSON.stringify(state === "queued" ? turn : { ...turn, input: [] });
}

/** A record that means its newest segment. */
function recordOf(seq: number, state: TurnState, attempts: number, turn: Turn, ending: TurnEnding | null): TurnRecord {
  const segment = Math.max(1, attempts);
  return { seq, state, attempts, segment, requestId: segmentIdOf(turn, segment), turn, ending };
}

/** The same seen from one of its segments, which has ended when the turn has gone on from it or waits behind it. */
function asSegment(record: TurnRecord, segment: number): TurnRecord | null {
  if (segment > record.segment) return null;
  if (segment === record.segment && record.state !== "waiting") return record;
  const ending: TurnEnding = { state: "completed", messageIds: record.turn.inputIds };
  return { ...record, state: "completed", segment, requestId: segmentIdOf(record.turn, segment), ending };
}

/** A running record, one segment further. */
export function nextSegment(record: TurnRecord): TurnRecord {
  return recordOf(record.seq, "running", record.attempts + 1, record.turn, null);
}
