/** What a conversation has stored, read behind its back at rest. */
import { runInDurableObject } from "cloudflare:test";
import type { UIMessage } from "ai";
import type { Turn, TurnEnding } from "../../../src/actors/conversation/turn/turn.ts";
import { conversation } from "../../harness/chat-socket.ts";
import type { RowFact, TurnFact } from "./transcript-model.ts";

export interface Stored {
  readonly turns: readonly (TurnFact & { readonly ending: TurnEnding | null })[];
  readonly rows: readonly RowFact[];
  /** Every message, also of other branches, by id. */
  readonly messages: ReadonlyMap<string, UIMessage>;
  /** Jobs of the Agent's own queue. */
  readonly jobs: readonly { readonly id: string; readonly time: number }[];
  readonly alarm: number | null;
}

interface TurnRow {
  request_id: string;
  state: string;
  attempts: number;
  outcome: string | null;
  body: string;
}

interface MessageRow {
  id: string;
  role: string;
  parent_id: string | null;
  body: string;
}

const statements = {
  turns: "SELECT request_id, state, attempts, outcome, body FROM turns ORDER BY seq",
  messages: `SELECT m.id, m.role, m.body, p.id AS parent_id FROM messages m LEFT JOIN messages p ON p.seq = m.parent
    ORDER BY m.seq`,
  hasJobs: "SELECT 1 FROM sqlite_master WHERE name = 'cf_agents_jobs'",
  jobs: "SELECT id, time FROM cf_agents_jobs",
};

export function readStored(name: string): Promise<Stored> {
  return runInDurableObject(conversation(name), async (_, { storage }) => {
    const all = <T>(query: string): T[] => storage.sql.exec(query).toArray() as T[];
    const rows = all<MessageRow>(statements.messages);
    return {
      turns: all<TurnRow>(statements.turns).map(factOf),
      rows: rows.map((row) => ({ id: row.id, parent: row.parent_id, role: row.role })),
      messages: new Map(rows.map((row) => [row.id, JSON.parse(row.body) as UIMessage])),
      jobs: all(statements.hasJobs).length === 0 ? [] : all<{ id: string; time: number }>(statements.jobs),
      alarm: await storage.getAlarm(),
    };
  });
}

function factOf(row: TurnRow): Stored["turns"][number] {
  const turn = JSON.parse(row.body) as Turn;
  const ending = row.outcome === null ? null : (JSON.parse(row.outcome) as TurnEnding);
  return {
    requestId: row.request_id,
    state: row.state,
    isStarted: row.attempts > 0,
    input: turn.inputIds,
    answers: turn.answers,
    messageId: turn.messageId,
    isSilent: ending?.note !== undefined,
    ending,
  };
}
