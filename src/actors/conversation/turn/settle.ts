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
import { openCalls } from "../../../shared/open-calls.ts";
import { goOnIfSettled } from "./answer-call.ts";
import { NO_RESPONSE } from "./ending.ts";
import { earlierAnswer, pauseTurn, storedAnswer } from "./pause.ts";
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
    case "leave": {
      // Answered in full before the restart: it goes on as it would have without one.
      // Read anew: answers may have come since this was put in line.
      const waiting = parts.turns.waiting();
      const stored = waiting === null ? null : storedAnswer(parts, waiting.turn.messageId);
      if (waiting !== null && stored !== null) goOnIfSettled(parts, waiting, stored.message);
      return null;
    }
    case "complete": {
      const message = found?.message ?? null;
      if (message !== null && openCalls(message).length > 0) {
        const waiting = pauseTurn(parts, record, { message, turn: record.turn });
        return waiting === null ? null : { state: "completed", messageIds };
      }
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
  const { messageId } = record.turn;
  let fold = startFold(earlierAnswer(parts, record)?.message ?? emptyAssistant(messageId));
  // What is stored of the answer already is not part of this segment.
  const source = { ...sourceOf(parts, record, null), folded: () => null };
  const { isWhole, end } = await catchUp(source, 0, (entries) => {
    for (const entry of entries) fold = applyChunk(fold, entry.chunk);
  });
  return { message: finalizeFold(fold), end: isWhole ? end : null };
}
