/** The commit of a turn: its answer and its ending become durable together, and then everybody is told. */
import type { UIMessage } from "ai";
import { hasRenderableParts } from "../../../shared/apply-chunk.ts";
import { logError } from "../../../shared/platform/log.ts";
import type { ConversationParts } from "../parts.ts";
import { announceEnding } from "../sessions/announce.ts";
import { sanitized } from "../transcript/persist.ts";
import { endingOf, failedEnding } from "./ending.ts";
import { storeAnswer } from "./pause.ts";
import type { TurnRecord } from "./turn-log.ts";
import type { TurnEnding } from "./turn.ts";

/**
 * Stores the answer and the ending in one transaction, then tells everybody.
 * When the turn has been lost meanwhile nothing is written and nothing told.
 */
export function settleTurn(
  parts: ConversationParts,
  record: TurnRecord,
  answer: UIMessage | null,
  ending: TurnEnding,
): TurnEnding {
  const message = answer === null ? null : toStore(parts, answer, ending);
  const outcome = message === "refused" ? refusedByHook(record) : ending;
  const isCommitted = commit(parts, record, message === "refused" ? null : message, outcome);
  const stream = parts.running.stream?.record.seq === record.seq ? parts.running.stream : null;
  if (stream !== null) parts.running.stream = null;
  if (!isCommitted) {
    parts.window.reload();
    const lost = endingOf(parts, record);
    // Whoever took the turn has told those who follow its request id; a new turn may have it by now.
    for (const reader of stream?.readers ?? []) reader.ended(lost);
    return lost;
  }
  announceEnding(parts, record, outcome, stream);
  return outcome;
}

function commit(parts: ConversationParts, record: TurnRecord, message: UIMessage | null, ending: TurnEnding): boolean {
  const event = { completed: "finish", failed: "fail", aborted: "cancel", superseded: "supersede" } as const;
  const limit = parts.hooks.maxPersistedMessages();
  const committed = parts.db.transaction(() => {
    if (!parts.turns.advance(record, event[ending.state], ending)) return null;
    const stored = message === null ? null : storeAnswer(parts, record, message);
    return { stored, isTrimmed: limit !== undefined && parts.messages.trim(limit) };
  });
  if (committed === null) return false;
  if (committed.stored !== null) parts.window.put(committed.stored);
  // Without a new answer the path is again what it was before the turn.
  if (committed.isTrimmed || committed.stored === null) parts.window.reload();
  return true;
}

/** The answer as it is stored, with the mark of one that was cut. Null: nothing worth a row. */
function toStore(parts: ConversationParts, answer: UIMessage, ending: TurnEnding): UIMessage | null | "refused" {
  if (!hasRenderableParts(answer)) return null;
  try {
    const message = sanitized(parts, answer);
    if (!hasRenderableParts(message)) return null;
    return ending.state === "completed" ? message : { ...message, metadata: marked(message.metadata, ending) };
  } catch (error) {
    // It may be there to redact; storing what it did not see would be worse than storing nothing.
    logError("hook.failed", error, { hook: "onSanitizeMessage" });
    return "refused";
  }
}

/** Metadata that tells, also after a reload, that the answer was cut and why. */
function marked(metadata: unknown, ending: TurnEnding): Record<string, unknown> {
  const own = typeof metadata === "object" && metadata !== null ? metadata : {};
  return { ...own, troupe: { outcome: ending.state, ...(ending.error === undefined ? {} : { error: ending.error }) } };
}

function refusedByHook(record: TurnRecord): TurnEnding {
  return failedEnding(record, { code: "internal", message: "The answer could not be stored.", retryable: true });
}
