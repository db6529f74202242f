/** What the server tells of the last turn of a conversation: `GET /agents/assistant/<name>/inspect`. */
import { z } from "zod/mini";

/** The turn's durable record. */
const recordSchema = z.object({
  turnId: z.string(),
  requestId: z.string(),
  messageId: z.string(),
  kind: z.string(),
  state: z.string(),
  attempts: z.number(),
  inputIds: z.array(z.string()),
  error: z.optional(z.unknown()),
});

/** What the turn cost, counted by the conversation. */
const costSchema = z.object({
  startedAtMs: z.number(),
  /** Null while it runs. */
  endedAtMs: z.nullable(z.number()),
  chunks: z.number(),
  /** Broadcast to all sockets, with their bytes. */
  frames: z.number(),
  frameBytes: z.number(),
  statements: z.number(),
  rowsRead: z.number(),
  rowsWritten: z.number(),
  /** Calls of other actors, by verb. */
  actorCalls: z.record(z.string(), z.number()),
});

const inspectSchema = z.object({ turn: z.nullable(z.extend(recordSchema, costSchema.shape)) });

export interface TurnReport {
  readonly record: Readonly<z.infer<typeof recordSchema>>;
  readonly cost: Readonly<z.infer<typeof costSchema>>;
}

/** The last turn; null when the object has run none since it woke, or tells nobody. */
export async function readInspection(name: string, signal: AbortSignal): Promise<TurnReport | null> {
  try {
    const response = await fetch(`/agents/assistant/${encodeURIComponent(name)}/inspect`, { signal });
    if (!response.ok) return null;
    const { data } = inspectSchema.safeParse(await response.json());
    return data?.turn ? { record: recordSchema.parse(data.turn), cost: costSchema.parse(data.turn) } : null;
  } catch (error) {
    // Left the page, offline, or an answer that is no JSON.
    if (error instanceof DOMException || error instanceof TypeError || error instanceof SyntaxError) return null;
    throw error;
  }
}
