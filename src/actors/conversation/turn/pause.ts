/**
 * A turn that waits for a person or a browser: its answer so far is stored, its
 * segment has ended on the wire, and nothing of it is in memory.
 *
 *   running ─pause─▶ waiting ─resume─▶ running        (the next segment, same message)
 *                       ├─finish──▶ completed         (answered, and nobody asked to go on)
 *                       ├─cancel──▶ aborted
 *                       └─supersede▶ superseded       (a new turn began)
 */
import type { UIMessage } from "ai";
import { closeOpenCalls } from "../../../shared/open-calls.ts";
import { logError } from "../../../shared/platform/log.ts";
import { CHAT_MESSAGE_TYPES } from "../../../shared/wire.ts";
import type { ConversationParts } from "../parts.ts";
import { announceEnding } from "../sessions/announce.ts";
import type { StoredMessage } from "../transcript/message-store.ts";
import { sanitized } from "../transcript/persist.ts";
import type { TurnEvent } from "./turn-state.ts";
import type { TurnRecord } from "./turn-log.ts";
import type { Turn, TurnEnding } from "./turn.ts";

/** What a segment leaves behind when it ends with calls for somebody outside. */
export interface Pause {
  readonly message: UIMessage;
  /** The turn with what the answers of this segment have changed. */
  readonly turn: Turn;
}

/** Stores the answer so far and lets the turn wait. Null when the turn was lost meanwhile; throws what `onSanitizeMessage` throws. */
export function pauseTurn(parts: ConversationParts, record: TurnRecord, pause: Pause): TurnRecord | null {
  const message = sanitized(parts, pause.message);
  const stored = parts.db.transaction(() => {
    if (!parts.turns.advance(record, "pause")) return null;
    if (pause.turn !== record.turn) parts.turns.rewrite({ ...record, state: "waiting" }, pause.turn);
    return storeAnswer(parts, record, message);
  });
  if (stored === null) return null;
  parts.window.put(stored);
  const stream = parts.running.stream?.record.seq === record.seq ? parts.running.stream : null;
  if (stream !== null) parts.running.stream = null;
  const waiting: TurnRecord = { ...record, state: "waiting", turn: pause.turn };
  announceEnding(parts, waiting, { state: "completed", messageIds: record.turn.inputIds }, stream);
  return waiting;
}

/** The answer in the transcript: grown where it stands, or new behind the head. Call inside a transaction. */
export function storeAnswer(parts: ConversationParts, record: TurnRecord, message: UIMessage): StoredMessage {
  const stored = earlierAnswer(parts, record);
  return stored === null ? parts.messages.append(message, parts.window.head()) : parts.messages.update(stored, message);
}

/** The answer of a turn as it is stored; null before its first pause. */
export function storedAnswer(parts: Pick<ConversationParts, "messages">, messageId: string): StoredMessage | null {
  const place = parts.messages.locate(messageId);
  return place === null ? null : (parts.messages.path(place.seq, 1, 1)[0] ?? null);
}

/** What earlier segments have left of the answer; null in the first, which costs no look. */
export function earlierAnswer(parts: Pick<ConversationParts, "messages">, record: TurnRecord): StoredMessage | null {
  return record.segment > 1 ? storedAnswer(parts, record.turn.messageId) : null;
}

const reasons = {
  supersede: "The user went on without answering.",
  cancel: "The user cancelled it.",
} as const;

/**
 * A new turn begins: whatever waits is closed with a reason, so that the prompt is whole and late answers find nothing.
 * Call inside the transaction that stores the new turn; call what it returns behind it, to tell everybody.
 */
export function supersedeWaiting(parts: ConversationParts): () => void {
  const record = parts.turns.waiting();
  return record === null ? () => undefined : closeWaiting(parts, record, "supersede");
}

/** Ends a turn that waits. Call inside a transaction; call what it returns behind it, to tell everybody. */
export function closeWaiting(
  parts: ConversationParts,
  record: TurnRecord,
  event: Extract<TurnEvent, "finish" | "cancel" | "supersede">,
): () => void {
  const states = { finish: "completed", cancel: "aborted", supersede: "superseded" } as const;
  const ending: TurnEnding = { state: states[event], messageIds: record.turn.inputIds };
  if (!parts.turns.advance(record, event, ending)) return () => undefined;
  const stored = storedAnswer(parts, record.turn.messageId);
  if (stored === null || event === "finish") return () => undefined;
  const closed = closeOpenCalls(stored.message, reasons[event]);
  if (closed === stored.message) return () => undefined;
  const updated = parts.messages.update(stored, closed);
  return () => tellUpdate(parts, updated);
}

/** A stored message has changed in place. */
export function tellUpdate(parts: ConversationParts, stored: StoredMessage): void {
  parts.window.put(stored);
  parts.sockets.broadcast({ type: CHAT_MESSAGE_TYPES.MESSAGE_UPDATED, message: stored.message });
}

/** The message as the hook wants it stored; as it is when the hook fails, because an answer to a call must not be lost. */
export function sanitizedOrSame(parts: ConversationParts, message: UIMessage): UIMessage {
  try {
    return sanitized(parts, message);
  } catch (error) {
    logError("hook.failed", error, { hook: "onSanitizeMessage" });
    return message;
  }
}
