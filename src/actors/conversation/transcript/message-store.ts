/**
 * The transcript as a tree of messages in SQLite.
 *
 * Owns `messages` and `message_parts`. A message points at its parent; the
 * newest row is the leaf, and the active path is what leads to it. Order is the
 * integer `seq`, which grows along every path; the clock decides nothing. A
 * damaged row is skipped with a warning and never keeps the rest from loading.
 */
import type { UIMessage } from "ai";
import { utf8Bytes } from "../../../shared/json-limits.ts";
import type { Database } from "../../../shared/platform/database.ts";
import { logWarning } from "../../../shared/platform/log.ts";
import { partedText } from "../../../shared/platform/parted-text.ts";

/** A message with its place in the tree. */
export interface StoredMessage {
  readonly seq: number;
  readonly parent: number | null;
  /** Size of its JSON in bytes of UTF-8. */
  readonly bytes: number;
  readonly message: UIMessage;
}

/** Where a message stands, and whose it is. */
export interface MessagePlace {
  readonly seq: number;
  readonly parent: number | null;
  readonly role: string;
}

interface MessageRow {
  seq: number;
  id: string;
  parent: number | null;
  role: string;
  bytes: number;
  body: string | null;
}

const statements = {
  leaf: "SELECT seq FROM messages ORDER BY seq DESC LIMIT 1",
  seqOf: "SELECT seq, parent, role FROM messages WHERE id = ?",
  exists: "SELECT 1 FROM messages WHERE seq = ?",
  insert: "INSERT INTO messages (seq, id, parent, role, bytes, body) VALUES (?, ?, ?, ?, ?, ?)",
  update: "UPDATE messages SET bytes = ?, body = ? WHERE seq = ?",
  // From `?1` towards the root, newest first, until `?2` bytes or `?3` rows are collected. CROSS JOIN keeps SQLite from
  // walking the whole table in the order asked for and looking each row up in the path.
  path: `WITH RECURSIVE path (seq, parent, total, n) AS (
      SELECT seq, parent, bytes, 1 FROM messages WHERE seq = ?1
      UNION ALL
      SELECT m.seq, m.parent, p.total + m.bytes, p.n + 1 FROM path p JOIN messages m ON m.seq = p.parent
      WHERE p.total < ?2 AND p.n < ?3
    )
    SELECT m.* FROM path p CROSS JOIN messages m ON m.seq = p.seq ORDER BY p.n`,
  // The seqs of the whole path that ends at `?1`, oldest first, without any body.
  pathSeqs: `WITH RECURSIVE path (seq, parent) AS (
      SELECT seq, parent FROM messages WHERE seq = ?1
      UNION ALL
      SELECT m.seq, m.parent FROM path p JOIN messages m ON m.seq = p.parent
    )
    SELECT seq FROM path ORDER BY seq`,
  bySeq: "SELECT * FROM messages WHERE seq = ?",
  nthNewest: "SELECT seq FROM messages ORDER BY seq DESC LIMIT 1 OFFSET ?",
  dropUpTo: "DELETE FROM messages WHERE seq <= ?",
  clear: "DELETE FROM messages",
} as const;

const NO_LIMIT = Number.MAX_SAFE_INTEGER;

export class MessageStore {
  readonly #db: Database;
  readonly #parts: ReturnType<typeof partedText>;

  constructor(db: Database) {
    this.#db = db;
    this.#parts = partedText(db, "message_parts");
  }

  /** The newest row, which ends the active path; null for an empty transcript. */
  leaf(): number | null {
    return this.#db.first<{ seq: number }>(statements.leaf)?.seq ?? null;
  }

  /** Where the message with this id stands; null when there is none. */
  locate(id: string): MessagePlace | null {
    return this.#db.first<{ seq: number; parent: number | null; role: string }>(statements.seqOf, id) ?? null;
  }

  /** Whether there is a row at this place, damaged or not. */
  has(seq: number): boolean {
    return this.#db.first(statements.exists, seq) !== undefined;
  }

  /** Adds a message behind `parent`. The id must be new. Call inside a transaction. */
  append(message: UIMessage, parent: number | null): StoredMessage {
    const seq = (this.leaf() ?? 0) + 1;
    const body = JSON.stringify(message);
    const bytes = utf8Bytes(body);
    this.#db.run(statements.insert, seq, message.id, parent, message.role, bytes, this.#parts.write(seq, body));
    return { seq, parent, bytes, message };
  }

  /** Replaces the content of a stored message; its id and place stay. Call inside a transaction. */
  update(stored: StoredMessage, message: UIMessage): StoredMessage {
    const body = JSON.stringify(message);
    const bytes = utf8Bytes(body);
    this.#db.run(statements.update, bytes, this.#parts.write(stored.seq, body), stored.seq);
    return { ...stored, bytes, message };
  }

  /**
   * The path that ends at `from`, oldest first, read backwards until `maxBytes`
   * are collected (the message that crosses the limit is included) or `maxRows`.
   */
  path(from: number, maxBytes: number = NO_LIMIT, maxRows: number = NO_LIMIT): StoredMessage[] {
    const rows = this.#db.all<MessageRow>(statements.path, from, maxBytes, maxRows);
    return rows.toReversed().flatMap((row) => this.#read(row) ?? []);
  }

  /** Like `path`, and where it goes on towards the root: the seq of the next row, null when there is none. Damaged rows count as read. */
  page(
    from: number,
    maxBytes: number,
    maxRows: number,
  ): { readonly entries: StoredMessage[]; readonly rest: number | null } {
    const rows = this.#db.all<MessageRow>(statements.path, from, maxBytes, maxRows);
    const parent = rows.at(-1)?.parent ?? null;
    const rest = parent !== null && this.has(parent) ? parent : null;
    return { entries: rows.toReversed().flatMap((row) => this.#read(row) ?? []), rest };
  }

  /** The whole active path, oldest first. */
  activePath(): StoredMessage[] {
    const leaf = this.leaf();
    return leaf === null ? [] : this.path(leaf);
  }

  /** The active path as JSON texts, oldest first, one in memory at a time: for a transcript of any size. */
  *activePathTexts(): Generator<string> {
    const seqs = this.#db.all<{ seq: number }>(statements.pathSeqs, this.leaf() ?? 0);
    for (const { seq } of seqs) {
      const row = this.#db.first<MessageRow>(statements.bySeq, seq);
      const stored = row === undefined ? null : this.#read(row);
      if (stored !== null) yield JSON.stringify(stored.message);
    }
  }

  /** Keeps the newest `limit` rows. Returns whether rows went. Call inside a transaction. */
  trim(limit: number): boolean {
    const last = this.#db.first<{ seq: number }>(statements.nthNewest, limit);
    if (last === undefined) return false;
    this.#db.run(statements.dropUpTo, last.seq);
    this.#parts.dropUpTo(last.seq);
    return true;
  }

  /** Deletes every message. Call inside a transaction. */
  clear(): void {
    this.#db.run(statements.clear);
    this.#parts.dropUpTo();
  }

  #read(row: MessageRow): StoredMessage | null {
    const message = parseMessage(this.#parts.read(row.seq, row.body));
    if (message === null) {
      logWarning("transcript.damaged-row", { seq: row.seq, id: row.id });
      return null;
    }
    return { seq: row.seq, parent: row.parent, bytes: row.bytes, message };
  }
}

/** The message in a stored body, or null when it is damaged: no JSON, no id, no parts, an unknown role. */
function parseMessage(body: string | null): UIMessage | null {
  if (body === null) return null;
  try {
    const value = JSON.parse(body) as Partial<UIMessage> | null;
    const isMessage =
      typeof value?.id === "string" &&
      ["user", "assistant", "system"].includes(value.role ?? "") &&
      Array.isArray(value.parts) &&
      value.parts.every((part) => typeof part?.type === "string");
    return isMessage ? (value as UIMessage) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
