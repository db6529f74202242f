/**
 * The resume handshake: what a socket that opens or probes is told, and the
 * replay that its ACK starts.
 *
 *   probe ─▶ terminal frames of its own ended requests, then one of
 *            resuming (a stream runs) · pending (a turn waits) · none (idle)
 *   ACK   ─▶ replay from storage and memory ─▶ replayComplete, then live chunks
 *                                            └▶ the terminal frame, if the turn has ended
 */
import type { Connection } from "agents";
import { sendFrame } from "../../../chat/chat-connection.ts";
import { CHAT_MESSAGE_TYPES, type ClientFrameOf, type ServerFrame } from "../../../shared/wire.ts";
import type { ChunkEntry } from "../../stream-buffer/contract.ts";
import type { ConversationParts } from "../parts.ts";
import type { LiveStream } from "../turn/live-stream.ts";
import type { TurnRecord } from "../turn/turn-log.ts";
import { answeredBy, streamIdOf, type Turn, type TurnEnding } from "../turn/turn.ts";
import { terminalFrame } from "./announce.ts";
import { catchUp, type StreamSource } from "./replay.ts";
import { foldedBehind } from "./snapshot.ts";

type Types = typeof CHAT_MESSAGE_TYPES;

/** Offers the running stream to a socket that has just opened. */
export function offerStream(parts: ConversationParts, connection: Connection): void {
  const stream = parts.running.stream;
  if (stream === null) return;
  parts.sockets.tell(connection, { type: "offer", requestId: stream.requestId });
  sendFrame(connection, resumingFrame(stream));
}

export function answerProbe(
  parts: ConversationParts,
  connection: Connection,
  frame: ClientFrameOf<Types["STREAM_RESUME_REQUEST"]>,
): void {
  const asked = (frame.requests ?? []).map((id) => ({ id, record: parts.turns.byRequest(id) }));
  for (const { id, record } of asked) {
    if (record?.ending) sendFrame(connection, terminalFrame(id, record.ending));
  }
  const unknown = asked.flatMap(({ id, record }) => (record === null ? [id] : []));
  const echo = {
    ...(frame.probeId === undefined ? {} : { probeId: frame.probeId }),
    ...(unknown.length === 0 ? {} : { unknown }),
  };
  const stream = parts.running.stream;
  if (stream !== null) {
    parts.sockets.tell(connection, { type: "offer", requestId: stream.requestId });
    sendFrame(connection, resumingFrame(stream, echo));
    return;
  }
  const next = parts.turns.open().find((record) => record.state !== "waiting");
  if (next === undefined) {
    sendFrame(connection, { type: CHAT_MESSAGE_TYPES.STREAM_RESUME_NONE, reason: "idle", ...echo });
    return;
  }
  parts.sockets.tell(connection, { type: "wait" });
  sendFrame(connection, { type: CHAT_MESSAGE_TYPES.STREAM_PENDING, id: next.requestId, ...echo });
}

export async function takeAck(
  parts: ConversationParts,
  connection: Connection,
  frame: ClientFrameOf<Types["STREAM_RESUME_ACK"]>,
): Promise<void> {
  const { id, after = 0 } = frame;
  const session = parts.sockets.session(connection);
  const stream = parts.running.stream;
  if (stream?.requestId === id) {
    // A session that was not offered the stream hears it already; one that is being caught up asked twice.
    if (session.kind === "offered" && session.requestId === id) await replayRunning(parts, connection, stream, after);
    return;
  }
  const record = parts.turns.byRequest(id);
  if (record?.ending) await replayEnded(parts, connection, record, record.ending, after);
}

async function replayRunning(
  parts: ConversationParts,
  connection: Connection,
  stream: LiveStream,
  after: number,
): Promise<void> {
  const { requestId } = stream;
  parts.sockets.tell(connection, { type: "ack", requestId });
  const session = parts.sockets.session(connection);
  // Who asks and acknowledges again on this socket begins elsewhere: two replays at once would leave gaps there.
  const isReplaced = () => {
    const now = parts.sockets.session(connection);
    return now.kind === "catching-up" && now !== session;
  };
  await catchUp(
    sourceOf(parts, stream.record, stream),
    after,
    (entries) => isReplaced() || sendReplay(parts, connection, stream.record, entries),
    ({ isWhole }) => {
      if (isReplaced()) return;
      parts.sockets.tell(connection, { type: "caught-up", requestId });
      if (!isKept(parts, stream.record)) return;
      if (parts.running.stream !== stream) return sendFrame(connection, endOf(parts, requestId));
      sendFrame(connection, replayComplete(requestId));
      if (!isWhole) offerFromStart(parts, connection, stream);
    },
  );
}

/** What the socket has cannot be continued. An offer of a stream that is behind it makes it begin again. */
function offerFromStart(parts: ConversationParts, connection: Connection, stream: LiveStream): void {
  parts.sockets.tell(connection, { type: "offer", requestId: stream.requestId });
  sendFrame(connection, { ...resumingFrame(stream), lastSeq: 0 } as ServerFrame);
}

/** Sends a stretch of a replay. Of a turn that was cleared meanwhile nothing more is told: its end has been. */
function sendReplay(
  parts: ConversationParts,
  connection: Connection,
  record: TurnRecord,
  entries: readonly ChunkEntry[],
): void {
  if (!isKept(parts, record)) return;
  for (const entry of entries) sendFrame(connection, replayFrame(record.requestId, entry, record.segment > 1));
}

/** Whether the turn still has its record; another turn may have taken its request id. */
function isKept(parts: ConversationParts, { turn, requestId }: TurnRecord): boolean {
  return parts.turns.byRequest(requestId)?.turn.turnId === turn.turnId;
}

async function replayEnded(
  parts: ConversationParts,
  connection: Connection,
  record: TurnRecord,
  ending: TurnEnding,
  after: number,
): Promise<void> {
  const { requestId } = record;
  await catchUp(
    sourceOf(parts, record, null),
    after,
    (entries) => sendReplay(parts, connection, record, entries),
    () => {
      if (!isKept(parts, record)) return;
      sendFrame(connection, { ...terminalFrame(requestId, ending), replay: true } as ServerFrame);
    },
  );
  parts.sockets.tell(connection, { type: "caught-up", requestId });
}

/** Where the stream of a turn is read, running or ended. Of a turn that was cleared there is nothing to read. */
export function sourceOf(parts: ConversationParts, record: TurnRecord, stream: LiveStream | null): StreamSource {
  const { messageId } = record.turn;
  return {
    streamId: streamIdOf(record.turn, record.segment),
    buffer: { read: async (request) => parts.buffer().read(request) },
    writer: stream?.writer ?? null,
    folded: () => {
      if (parts.turns.byRequest(record.requestId) === null) return null;
      if (stream !== null) return foldedBehind(stream.fold, stream.earlierParts);
      // What is stored has the other segments too: of this one the chunks are gone, and its end is all there is to tell.
      if (record.segment > 1) return null;
      const message = parts.messages.path(parts.messages.locate(messageId)?.seq ?? -1, 1, 1)[0]?.message;
      return message === undefined ? null : { message, open: new Map() };
    },
  };
}

/** The terminal frame of a turn that ended while a socket was being caught up. */
function endOf(parts: ConversationParts, requestId: string): ServerFrame {
  return terminalFrame(requestId, parts.turns.byRequest(requestId)?.ending ?? { state: "aborted", messageIds: [] });
}

/** The offer of a running stream. */
export function resumingFrame(stream: LiveStream, echo: { probeId?: string; unknown?: string[] } = {}): ServerFrame {
  return {
    type: CHAT_MESSAGE_TYPES.STREAM_RESUMING,
    id: stream.requestId,
    lastSeq: stream.writer.lastSeq,
    ...behindOf(stream.record.turn),
    ...(stream.continuation ? { continuation: true } : {}),
    ...echo,
  };
}

function behindOf(turn: Turn): { behind?: string } {
  const behind = answeredBy(turn);
  return behind === null ? {} : { behind };
}

function replayFrame(id: string, entry: ChunkEntry, continuation: boolean): ServerFrame {
  return {
    type: CHAT_MESSAGE_TYPES.USE_CHAT_RESPONSE,
    id,
    body: JSON.stringify(entry.chunk),
    done: false,
    seq: entry.to,
    replay: true,
    ...(continuation ? { continuation: true } : {}),
  };
}

function replayComplete(id: string): ServerFrame {
  return { type: CHAT_MESSAGE_TYPES.USE_CHAT_RESPONSE, id, body: "", done: false, replay: true, replayComplete: true };
}
