/** What the server tells of the last turn of a conversation: `GET /agents/assistant/<name>/inspect`. */
import { z } from "zod";

const turnSchema = z.object({
  turnId: z.string(),
  requestId: z.string(),
  messageId: z.string().nullable(),
  kind: z.string(),
  state: z.string(),
  startedAtMs: z.number(),
  endedAtMs: z.number().nullable(),
  /** Chunks of the answer, frames they became, and the bytes of these. */
  chunks: z.number(),
  frames: z.number(),
  frameBytes: z.number(),
  /** SQL statements of the conversation, and rows they read and wrote. */
  statements: z.number(),
  rowsRead: z.number(),
  rowsWritten: z.number(),
  /** Rows of the stream buffer. */
  bufferRows: z.number(),
  /** Calls of other actors, by actor and method. */
  actorCalls: z.record(z.string(), z.number()),
  /** The turn's row as it is stored. */
  record: z.record(z.string(), z.unknown()),
});
const inspectSchema = z.object({ turn: turnSchema.nullable() });

export type TurnReport = Readonly<z.infer<typeof turnSchema>>;

/** The last turn; null when the object has run none since it woke, or tells nobody. */
export async function readInspection(name: string, signal: AbortSignal): Promise<TurnReport | null> {
  try {
    const response = await fetch(`/agents/assistant/${encodeURIComponent(name)}/inspect`, { signal });
    if (!response.ok) return null;
    const report = inspectSchema.safeParse(await response.json());
    return report.success ? report.data.turn : null;
  } catch (error) {
    // Left the page, offline, or an answer that is no JSON.
    if (error instanceof DOMException || error instanceof TypeError || error instanceof SyntaxError) return null;
    throw error;
  }
}
