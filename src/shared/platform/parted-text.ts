/**
 * Text that may be larger than a row: the owner's row holds it when it fits,
 * else NULL, and a `(seq, part, body)` table holds the pieces.
 */
import { splitText } from "../split-text.ts";
import type { Database } from "./database.ts";

export interface PartedText {
  /** What to put in the owner's own column; writes the pieces of text that does not fit. Call inside a transaction. */
  write(seq: number, text: string): string | null;
  /** The text again. `null` for a row whose pieces are missing. */
  read(seq: number, inline: string | null): string | null;
  /** Drops the pieces of one row. */
  drop(seq: number): void;
  /** Drops the pieces of rows up to `seq`; without it, all. */
  dropUpTo(seq?: number): void;
}

/** `table` is one of our own names, never input. */
export function partedText(db: Database, table: "message_parts" | "turn_parts"): PartedText {
  return {
    write: (seq, text) => {
      const pieces = splitText(text);
      if (pieces.length === 1) return text;
      db.run(`DELETE FROM ${table} WHERE seq = ?`, seq);
      for (const [part, body] of pieces.entries()) {
        db.run(`INSERT INTO ${table} (seq, part, body) VALUES (?, ?, ?)`, seq, part, body);
      }
      return null;
    },
    read: (seq, inline) => {
      if (inline !== null) return inline;
      const pieces = db.all<{ body: string }>(`SELECT body FROM ${table} WHERE seq = ? ORDER BY part`, seq);
      return pieces.length === 0 ? null : pieces.map((piece) => piece.body).join("");
    },
    drop: (seq) => void db.run(`DELETE FROM ${table} WHERE seq = ?`, seq),
    dropUpTo: (seq) => {
      if (seq === undefined) db.run(`DELETE FROM ${table}`);
      else db.run(`DELETE FROM ${table} WHERE seq <= ?`, seq);
    },
  };
}
