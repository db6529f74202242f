/** Ends turns from outside: one by its request id, or everything at once. */
import type { ConversationParts } from "../parts.ts";
import { announceEnding, tellReaders, terminalFrame } from "../sessions/announce.ts";
import { CHAT_MESSAGE_TYPES } from "../../../shared/wire.ts";
import { logError } from "../../../shared/platform/log.ts";
import { closeWaiting } from "./pause.ts";
import { streamIdOf, type TurnEnding } from "./turn.ts";

/**
 * Cancels the turn with this request id. A running one keeps what it has
 * generated; one that waits leaves no trace. Unknown and ended ids are ignored.
 */
export function cancelTurn(parts: ConversationParts, requestId: string): void {
  const record = parts.turns.turnOf(requestId);
  if (record === null || record.ending !== null) return;
  // Its segment may still be unwinding, with nothing left to abort.
  if (record.state === "waiting") return parts.db.transaction(() => closeWaiting(parts, record, "cancel"))();
  if (parts.aborts.has(record.turn.requestId)) return parts.aborts.cancel(record.turn.requestId);
  // A running record without a controller was found after a restart: settling keeps its partial and ends it.
  if (record.state === "running") return;
  const ending: TurnEnding = { state: "aborted", messageIds: record.turn.inputIds };
  const cancelled = parts.db.transaction(() => parts.turns.advance(record, "cancel", ending));
  if (cancelled) announceEnding(parts, record, ending, null);
}

/** Streams dropped at once by a clear; of older turns retention has dropped them, or will. */
const DROPPED_STREAMS = 256;

/**
 * Clears the conversation. In order: the line is emptied, running turns are
 * aborted, stream state goes, sockets that wait are released, client tools go
 * with the turn records, messages are deleted, memory is emptied, everybody is
 * told. All but the buffer's own deletion happens in one synchronous stretch;
 * what still runs afterwards finds its record gone and writes nothing.
 */
export function clearConversation(parts: ConversationParts): void {
  const open = parts.turns.open();
  parts.queue.reset();
  for (const record of open) parts.aborts.cancel(record.turn.requestId);
  const stream = parts.running.stream;
  stream?.writer.discard();
  parts.running.stream = null;
  const streams = new Set(parts.turns.recentStreams(DROPPED_STREAMS));
  if (stream !== null) streams.add(streamIdOf(stream.record.turn, stream.record.segment));
  parts.db.transaction(() => {
    parts.turns.clear();
    parts.messages.clear();
  });
  parts.window.reload();
  // The last segment of a turn that waits has ended on the wire.
  for (const record of open.filter(({ state }) => state !== "waiting")) {
    const state = record.state === "queued" ? "superseded" : "aborted";
    const ending: TurnEnding = { state, messageIds: record.turn.inputIds };
    parts.sockets.broadcast(terminalFrame(record.requestId, ending));
    tellReaders(parts, record.requestId, stream?.record.seq === record.seq ? stream : null, ending);
  }
  parts.sockets.idle();
  parts.sockets.broadcast({ type: CHAT_MESSAGE_TYPES.CHAT_CLEAR });
  if (streams.size > 0) void dropStreams(parts, [...streams]);
}

async function dropStreams(parts: ConversationParts, streamIds: readonly string[]): Promise<void> {
  try {
    await parts.buffer().drop(streamIds);
  } catch (error) {
    // Nobody can reach them any more: their turns are gone. Retention drops them.
    logError("stream.not-dropped", error, { streams: streamIds.length });
  }
}
