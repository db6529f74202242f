/** The newest turn as its record and the meter tell it. */
import type { TurnReport } from "../contract.ts";
import type { ConversationParts } from "../parts.ts";

/** Null when no turn ran since the object woke, or when its record is gone. */
export function reportOf({ meter, turns }: Pick<ConversationParts, "meter" | "turns">): TurnReport | null {
  const newest = meter.newest();
  const record = newest === null ? null : turns.turnOf(newest.requestId);
  if (newest === null || record === null) return null;
  const { turnId, requestId, messageId, kind, inputIds } = record.turn;
  const { state, attempts, ending } = record;
  const error = ending?.error === undefined ? {} : { error: ending.error };
  return { turnId, requestId, messageId, kind, state, attempts, inputIds, ...error, ...newest.cost };
}
