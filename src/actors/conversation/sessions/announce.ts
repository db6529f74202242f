/** The end of a turn, told once to everybody who listens: the changed transcript, then the terminal frame. */
import { CHAT_MESSAGE_TYPES, type ServerFrame } from "../../../shared/wire.ts";
import type { ConversationParts } from "../parts.ts";
import { tellTail, waitingInput } from "../transcript/view.ts";
import type { LiveStream } from "../turn/live-stream.ts";
import type { TurnRecord } from "../turn/turn-log.ts";
import { answeredBy, outcomeOf, type Turn, type TurnEnding } from "../turn/turn.ts";
import { hears } from "./session.ts";

/** Call after the commit. `stream` is the turn's stream, null when it never had one here. */
export function announceEnding(
  parts: ConversationParts,
  record: TurnRecord,
  ending: TurnEnding,
  stream: LiveStream | null,
): void {
  tellAnswer(parts, record.turn);
  const frame = terminalFrame(record.requestId, ending);
  if (stream === null) parts.sockets.broadcast(frame);
  else parts.sockets.broadcast(frame, (connection) => hears(parts.sockets.session(connection), stream.requestId));
  tellReaders(parts, record.requestId, stream, ending);
  if (parts.turns.open().every(({ state }) => state === "waiting")) parts.sockets.idle();
}

/** Readers of the stream, and those that waited for it to start, learn how the turn ended. */
export function tellReaders(
  parts: Pick<ConversationParts, "followers">,
  requestId: string,
  stream: LiveStream | null,
  ending: TurnEnding,
): void {
  for (const reader of [...(stream?.readers ?? []), ...parts.followers.take(requestId)]) reader.ended(ending);
}

/** The path behind the message that the turn answered, as it is now; behind the head if that message never joined it. */
function tellAnswer(parts: ConversationParts, turn: Turn): void {
  const entries = parts.window.entries();
  const answered = entries.findIndex((entry) => entry.message.id === answeredBy(turn));
  const isOlder = answered === -1 && turn.answers !== null;
  const at = isOlder ? 0 : answered === -1 ? entries.length - 1 : answered;
  const behind = entries.slice(at + 1).map((entry) => entry.message);
  const first = parts.window.isPartial() ? undefined : entries[0]?.message.id;
  tellTail(parts, entries[at]?.message.id ?? null, [...behind, ...waitingInput(parts)], first);
}

/** The one frame that ends a request id. */
export function terminalFrame(requestId: string, ending: TurnEnding): ServerFrame {
  const base = { type: CHAT_MESSAGE_TYPES.USE_CHAT_RESPONSE, id: requestId, done: true } as const;
  const tail = { outcome: outcomeOf(ending.state), messageIds: [...ending.messageIds] };
  if (ending.error === undefined) return { ...base, body: ending.note ?? "", ...tail };
  const { message, code, retryable } = ending.error;
  return { ...base, body: message, error: true, ...tail, code, retryable };
}
