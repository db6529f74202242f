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
import type { Turn, TurnEnding } from "./turn.ts";

export interface TurnRecord {
  readonly seq: number;
  readonly state: TurnState;
  /** Model runs begun, counted before the model is called. */
  readonly attempts: number;
  readonly turn: Turn;
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
  from: "SELECT * FROM turns WHERE seq >= ? ORDER BY seq",
  advance: "UPDATE turns SET state = ?, attempts = ?, outcome = ? WHERE seq = ? AND state = ?",
  rewrite: "UPDATE turns SET body = ? WHERE seq = ?",
  // A damaged body must not keep anybody from clearing: it has no id.
  recentIds: `SELECT CASE WHEN json_valid(body) THEN json_extract(body, '$.turnId') END AS id
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
    return { seq, state, attempts, turn, ending: null };
  }

  /** The record of a request id, whatever its state. */
  byRequest(requestId: string): TurnRecord | null {
    const row = this.#db.first<TurnRow>(statements.byRequest, requestId);
    return row === undefined ? null : this.#read(row);
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
    this.#parts.drop(record.seq);
    this.#db.run(statements.rewrite, this.#parts.write(record.seq, bodyOf(record.turn, next)), record.seq);
    return true;
  }

  /** The ids of the newest `limit` turns, as far as their rows tell: those whose streams may still be kept. */
  recentTurnIds(limit: number): string[] {
    const rows = this.#db.all<{ id: unknown }>(statements.recentIds, limit);
    return rows.flatMap(({ id }) => (typeof id === "string" ? [id] : []));
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
      return { seq: row.seq, state: row.state, attempts: row.attempts, turn, ending };
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
