/**
 * An answer to a call from outside: the result of a client tool, or a decision
 * on an approval. Each counts once, only for a call that waits for it, and
 * becomes durable before anything follows from it.
 *
 * While the segment still runs, an answer is a chunk of its stream like any
 * other, so that live, replayed and stored agree. Afterwards it changes the
 * stored message.
 */
import type { UIMessage, UIMessageChunk } from "ai";
import { decision, isStepSettled, withChunks } from "../../../shared/open-calls.ts";
import { isToolPart, type ToolPart } from "../../../shared/message-parts.ts";
import type { ClientToolSchema } from "../../../shared/wire.ts";
import type { ConversationParts } from "../parts.ts";
import { continueTurn } from "./conduct-turn.ts";
import { closeWaiting, sanitizedOrSame, storedAnswer, tellUpdate } from "./pause.ts";
import type { TurnRecord } from "./turn-log.ts";
import { segmentIdOf, type Turn } from "./turn.ts";

export type CallAnswer = {
  readonly toolCallId: string;
  /** Whether the model is to go on when every call of the step is settled. */
  readonly goOn: boolean;
} & (
  | {
      readonly kind: "result";
      readonly output: unknown;
      /** Set when there is no output: why. */
      readonly errorText?: string;
      /** The tools that the client has from now on. */
      readonly clientTools?: readonly ClientToolSchema[];
    }
  | { readonly kind: "decision"; readonly approved: boolean }
);

/** Applies an answer. False when no call waits for it: nothing has changed. Synchronous. */
export function answerCall(parts: ConversationParts, answer: CallAnswer): boolean {
  const stream = parts.running.stream;
  if (stream !== null) {
    const chunks = chunksFor(parts, stream.message, answer);
    if (chunks.length === 0) return false;
    stream.answers = turnAfter(stream.answers ?? stream.record.turn, answer);
    for (const chunk of chunks) stream.emit(chunk);
    return true;
  }
  const record = parts.turns.waiting();
  return record !== null && answerWaiting(parts, record, answer);
}

function answerWaiting(parts: ConversationParts, record: TurnRecord, answer: CallAnswer): boolean {
  const stored = storedAnswer(parts, record.turn.messageId);
  const chunks = stored === null ? [] : chunksFor(parts, stored.message, answer);
  if (stored === null || chunks.length === 0) return false;
  const message = sanitizedOrSame(parts, withChunks(stored.message, chunks));
  const turn = turnAfter(record.turn, answer);
  const updated = parts.db.transaction(() => {
    if (turn !== record.turn) parts.turns.rewrite(record, turn);
    return parts.messages.update(stored, message);
  });
  tellUpdate(parts, updated);
  goOnIfSettled(parts, { ...record, turn }, message);
  return true;
}

/**
 * The barrier: when every call of the step is settled, the turn goes on if one of the answers asked for it, else it is
 * over. What has been decided stands in the record and the message, so a restart decides the same.
 */
export function goOnIfSettled(parts: ConversationParts, record: TurnRecord, message: UIMessage): void {
  if (!isStepSettled(message)) return;
  if (!record.turn.continueWhenSettled) {
    parts.db.transaction(() => closeWaiting(parts, record, "finish"))();
    return;
  }
  void parts.queue.enqueue(segmentIdOf(record.turn, record.attempts + 1), () => continueTurn(parts, record));
}

/** The turn with what the answer says of its continuation. The same when it says nothing new. */
function turnAfter(turn: Turn, answer: CallAnswer): Turn {
  const clientTools = answer.kind === "result" ? answer.clientTools : undefined;
  if (clientTools === undefined && (!answer.goOn || turn.continueWhenSettled)) return turn;
  return {
    ...turn,
    continueWhenSettled: turn.continueWhenSettled || answer.goOn,
    clientTools: clientTools ?? turn.clientTools,
  };
}

/** What the answer does to the message; nothing when its call does not wait for such an answer. */
function chunksFor(parts: ConversationParts, message: UIMessage, answer: CallAnswer): UIMessageChunk[] {
  const part = message.parts.find(
    (one): one is ToolPart => isToolPart(one) && one.toolCallId === answer.toolCallId && one.providerExecuted !== true,
  );
  if (part === undefined) return [];
  if (answer.kind === "decision") {
    return part.state === "approval-requested" ? decision(part, answer.approved) : [];
  }
  const isOpen =
    part.state === "input-available" || part.state === "approval-requested" || part.state === "approval-responded";
  // Only the server says what its own tools have answered.
  if (!isOpen || parts.hooks.runsTool(nameOf(part))) return [];
  const { toolCallId } = part;
  return answer.errorText === undefined
    ? [{ type: "tool-output-available", toolCallId, output: answer.output }]
    : [{ type: "tool-output-error", toolCallId, errorText: answer.errorText }];
}

function nameOf(part: ToolPart): string {
  return part.type === "dynamic-tool" ? part.toolName : part.type.slice("tool-".length);
}
