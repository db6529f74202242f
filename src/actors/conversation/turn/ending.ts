/** How a turn ended: from what its segment did to what its record keeps and clients are told. */
import { logError } from "../../../shared/platform/log.ts";
import { within } from "../../../shared/within.ts";
import type { StreamEnd } from "../../stream-buffer/contract.ts";
import type { ClientError } from "../contract.ts";
import type { ConversationParts } from "../parts.ts";
import { toClientError } from "./client-error.ts";
import type { SegmentEnd } from "./run-turn.ts";
import type { TurnRecord } from "./turn-log.ts";
import type { TurnEnding } from "./turn.ts";

/** The terminal frame of a turn that said nothing carries this text. */
export const NO_RESPONSE = "No response was generated.";

/** The ending of a turn whose segment has ended. `hasAnswer`: there is something to store. */
export async function endingAfter(
  parts: ConversationParts,
  record: TurnRecord,
  end: SegmentEnd,
  hasAnswer: boolean,
): Promise<TurnEnding> {
  const messageIds = [...record.turn.inputIds];
  switch (end.kind) {
    case "completed":
      return { state: "completed", messageIds, ...(hasAnswer ? {} : { note: NO_RESPONSE }) };
    case "aborted":
      return { state: "aborted", messageIds };
    case "failed":
      return failedEnding(record, await clientErrorFor(parts, record, end, hasAnswer));
    default:
      return end satisfies never;
  }
}

/** How long `onChatError` may take, in milliseconds: the turns behind wait for it. */
const HOOK_TIMEOUT_MS = 10_000;

/** Asks `onChatError`; what it returns instead of the error is what clients see, else the error is mapped to safe text. */
async function clientErrorFor(
  parts: ConversationParts,
  record: TurnRecord,
  end: Extract<SegmentEnd, { kind: "failed" }>,
  messagesPersisted: boolean,
): Promise<ClientError> {
  const { error, stage } = end;
  const { requestId } = record.turn;
  logError("turn.model-failed", error, { requestId, stage });
  const mapped = toClientError(error);
  try {
    const answer = Promise.resolve(parts.hooks.onChatError(error, { requestId, stage, messagesPersisted }));
    const replaced = await within(parts.clock, HOOK_TIMEOUT_MS, answer);
    if (replaced === error || replaced === undefined || replaced === null) return mapped;
    const message = replaced instanceof Error ? replaced.message : String(replaced);
    return { ...mapped, message };
  } catch (hookError) {
    logError("hook.failed", hookError, { hook: "onChatError", requestId });
    return mapped;
  }
}

export function failedEnding(record: TurnRecord, error: ClientError): TurnEnding {
  return { state: "failed", error, messageIds: [...record.turn.inputIds] };
}

/** How the stream of a turn with this ending ends in the StreamBuffer. */
export function streamEnd(ending: TurnEnding): StreamEnd {
  return ending.state === "completed"
    ? { kind: "finished" }
    : { kind: "failed", message: ending.error?.message ?? ending.state };
}

/** What the record of a turn says of its ending; aborted for one that was cleared. */
export function endingOf(parts: Pick<ConversationParts, "turns">, record: TurnRecord): TurnEnding {
  const stored = parts.turns.byRequest(record.requestId);
  const ending = stored?.turn.turnId === record.turn.turnId ? stored.ending : null;
  return ending ?? { state: "aborted", messageIds: record.turn.inputIds };
}
