/** After a restart: gives every turn that was found without an ending one, in order, before anything new runs. */
import {
  closeOpenParts,
  applyChunk,
  emptyAssistant,
  finalizeFold,
  hasRenderableParts,
  startFold,
} from "../../../shared/apply-chunk.ts";
import type { UIMessage } from "ai";
import { logError } from "../../../shared/platform/log.ts";
import type { StreamEnd } from "../../stream-buffer/contract.ts";
import type { ConversationParts } from "../parts.ts";
import { catchUp } from "../sessions/replay.ts";
import { sourceOf } from "../sessions/resume.ts";
import { conductTurn, showBase } from "./conduct-turn.ts";
import { NO_RESPONSE } from "./ending.ts";
import { recover } from "./recover.ts";
import { settleTurn } from "./settle-turn.ts";
import type { TurnRecord } from "./turn-log.ts";
import type { TurnEnding } from "./turn.ts";

const CUT_TOOL = "The tool was interrupted; whether it finished is not known.";

/** Puts every open turn that this isolate does not run back in line. Call once, in the constructor. */
export function settleOpenTurns(parts: ConversationParts, ready: () => Promise<void>): void {
  for (const record of parts.turns.open()) {
    void parts.queue
      .enqueue(record.turn.requestId, async () => {
        // The queue runs this inside the constructor; the subclass's own fields are set after it.
        await Promise.resolve();
        await ready();
        return settleOne(parts, record);
      })
      .catch((error: unknown) => logError("turn.not-settled", error, { requestId: record.turn.requestId }));
  }
}

async function settleOne(parts: ConversationParts, record: TurnRecord): Promise<TurnEnding | null> {
  if (record.state === "running") showBase(parts, record);
  const found = record.state === "running" ? await rebuild(parts, record) : null;
  const decision = recover(record.state, found?.end ?? null);
  const messageIds = record.turn.inputIds;
  switch (decision.kind) {
    case "run":
      return conductTurn(parts, record);
    case "leave":
      return null;
    case "complete": {
      const message = found?.message ?? null;
      const note = message !== null && hasRenderableParts(message) ? {} : { note: NO_RESPONSE };
      return settleTurn(parts, record, message, { state: "completed", messageIds, ...note });
    }
    case "fail": {
      const partial = found === null ? null : closeOpenParts(found.message, CUT_TOOL);
      return settleTurn(parts, record, partial, { state: "failed", error: decision.error, messageIds });
    }
    default:
      return decision satisfies never;
  }
}

/** The answer as far as the StreamBuffer has it, and the end if it has all of it. */
async function rebuild(
  parts: ConversationParts,
  record: TurnRecord,
): Promise<{ message: UIMessage; end: StreamEnd | null }> {
  let fold = startFold(emptyAssistant(record.turn.messageId));
  const { isWhole, end } = await catchUp(sourceOf(parts, record, null), 0, (entries) => {
    for (const entry of entries) fold = applyChunk(fold, entry.chunk);
  });
  return { message: finalizeFold(fold), end: isWhole ? end : null };
}
