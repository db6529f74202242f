/**
 * The two tables of `ResumableStream`. Bodies are lines of a log, which is cut
 * into rows wherever it has to be and read as a whole, so that a chunk larger
 * than a row fits too.
 */
import { splitText } from "../shared/split-text.ts";
import type { SqlProvider } from "./sql-provider.ts";
import { runSql } from "./sql-provider.ts";

export interface StreamRow {
  readonly id: string;
  readonly request_id: string;
  readonly status: "streaming" | "completed" | "error";
}

const SQL = {
  streams: `CREATE TABLE IF NOT EXISTS cf_chat_streams
    (id TEXT PRIMARY KEY, request_id TEXT NOT NULL, status TEXT NOT NULL, started_at INTEGER NOT NULL)`,
  chunks: `CREATE TABLE IF NOT EXISTS cf_chat_stream_chunks
    (stream_id TEXT NOT NULL, position INTEGER NOT NULL, log TEXT NOT NULL, PRIMARY KEY (stream_id, position))`,
  insert: "INSERT INTO cf_chat_streams (id, request_id, status, started_at) VALUES (?, ?, 'streaming', ?)",
  end: "UPDATE cf_chat_streams SET status = ? WHERE id = ? AND status = 'streaming'",
  running: "SELECT * FROM cf_chat_streams WHERE status = 'streaming' ORDER BY rowid DESC LIMIT 1",
  byRequest: "SELECT * FROM cf_chat_streams WHERE request_id = ? ORDER BY rowid DESC LIMIT 1",
  append: `INSERT INTO cf_chat_stream_chunks (stream_id, position, log)
    SELECT ?, COALESCE(MAX(position), 0) + 1, ? FROM cf_chat_stream_chunks WHERE stream_id = ?`,
  log: "SELECT log FROM cf_chat_stream_chunks WHERE stream_id = ? ORDER BY position",
  dropChunks:
    "DELETE FROM cf_chat_stream_chunks WHERE stream_id IN (SELECT id FROM cf_chat_streams WHERE started_at < ?)",
  dropStreams: "DELETE FROM cf_chat_streams WHERE started_at < ?",
} as const;

export class StreamTable {
  readonly #agent: SqlProvider;

  constructor(agent: SqlProvider) {
    this.#agent = agent;
    runSql(agent, SQL.streams);
    runSql(agent, SQL.chunks);
  }

  insert(id: string, requestId: string, atMs: number): void {
    runSql(this.#agent, SQL.insert, id, requestId, atMs);
  }

  /** Ends a running stream; one that has ended keeps its end. */
  end(id: string, status: "completed" | "error"): void {
    runSql(this.#agent, SQL.end, status, id);
  }

  newestRunning(): StreamRow | undefined {
    return runSql<StreamRow>(this.#agent, SQL.running)[0];
  }

  /** The newest stream of a request. */
  byRequest(requestId: string): StreamRow | undefined {
    return runSql<StreamRow>(this.#agent, SQL.byRequest, requestId)[0];
  }

  append(id: string, bodies: readonly string[]): void {
    // In JSON a line break is mere space, so that a body always fits one line.
    const log = bodies.map((body) => `${body.replaceAll("\n", " ")}\n`).join("");
    for (const piece of splitText(log)) runSql(this.#agent, SQL.append, id, piece, id);
  }

  bodies(id: string): string[] {
    const log = runSql<{ log: string }>(this.#agent, SQL.log, id)
      .map((row) => row.log)
      .join("");
    return log.split("\n").filter((line) => line !== "");
  }

  dropBefore(startedBeforeMs: number): void {
    runSql(this.#agent, SQL.dropChunks, startedBeforeMs);
    runSql(this.#agent, SQL.dropStreams, startedBeforeMs);
  }

  clear(): void {
    this.dropBefore(Number.MAX_SAFE_INTEGER);
  }
}
