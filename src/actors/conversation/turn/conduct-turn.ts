/**
 * One turn from its place at the head of the line to its ending.
 *
 *   begin ─▶ open the stream ─▶ runTurn ─▶ flush ─▶ commit ─▶ tell everybody
 *
 * `begin` and `commit` are one transaction each and move the turn record on; if
 * the record is gone or elsewhere, the turn was cancelled, cleared or taken
 * over, and nothing of it is written. The commit is what makes an answer exist.
 */
import type { UIMessage } from "ai";
import {
  closeOpenParts,
  emptyAssistant,
  finalizeFold,
  hasRenderableParts,
  startFold,
} from "../../../shared/apply-chunk.ts";
import { TroupeError } from "../../../shared/errors.ts";
import { logError } from "../../../shared/platform/log.ts";
import { CHAT_MESSAGE_TYPES, type ServerFrame } from "../../../shared/wire.ts";
import type { ConversationParts } from "../parts.ts";
import { tellReaders, terminalFrame } from "../sessions/announce.ts";
import { resumingFrame } from "../sessions/resume.ts";
import { tellTail, waitingInput } from "../transcript/view.ts";
import { toClientError } from "./client-error.ts";
import { endingAfter, endingOf, failedEnding, streamEnd } from "./ending.ts";
import { LiveStream } from "./live-stream.ts";
import { runTurn, type SegmentEnd } from "./run-turn.ts";
import { SegmentWriter } from "./segment-writer.ts";
import { settleTurn } from "./settle-turn.ts";
import { storeInput } from "./store-input.ts";
import type { TurnRecord } from "./turn-log.ts";
import { streamIdOf, type TurnEnding } from "./turn.ts";

const CUT_TOOL = "The answer ended before the tool did.";

/** Runs an admitted turn. Resolves with its ending; never rejects. */
export async function conductTurn(parts: ConversationParts, admitted: TurnRecord): Promise<TurnEnding> {
  const { requestId } = admitted.turn;
  parts.meter.begin(requestId, parts.clock.now());
  try {
    const record = begin(parts, admitted);
    return record === null ? endingOf(parts, admitted) : await conduct(parts, record);
  } catch (error) {
    // It could not begin: what it brought cannot be stored, or what it answers is gone.
    return giveUp(parts, admitted, error);
  } finally {
    parts.meter.end(requestId, parts.clock.now());
  }
}

async function conduct(parts: ConversationParts, record: TurnRecord): Promise<TurnEnding> {
  const signal = parts.aborts.getSignal(record.turn.requestId);
  try {
    return await parts.awake.hold(() => runSegment(parts, record, signal));
  } catch (error) {
    return giveUp(parts, record, error);
  } finally {
    parts.aborts.remove(record.turn.requestId);
  }
}

/** Something of ours or the storage failed: ends the turn all the same, in storage if that can be had. */
function giveUp(parts: ConversationParts, record: TurnRecord, error: unknown): TurnEnding {
  const { requestId } = record.turn;
  logError("turn.failed", error, { requestId });
  const ending = failedEnding(record, toClientError(error));
  try {
    return settleTurn(parts, record, null, ending);
  } catch (storageError) {
    // The record stays open; the next start settles it. Clients are not left waiting for that.
    logError("turn.not-settled", storageError, { requestId });
    parts.sockets.broadcast(terminalFrame(requestId, ending));
    tellReaders(parts, requestId, parts.running.stream, ending);
    parts.running.stream = null;
    return ending;
  }
}

/** Takes the turn from its record; null when it was cancelled or cleared while it waited. Throws when it cannot begin; it is then as it was. */
function begin(parts: ConversationParts, admitted: TurnRecord): TurnRecord | null {
  const { answers } = admitted.turn;
  if (
    answers !== null &&
    parts.turns.byRequest(admitted.turn.requestId) !== null &&
    parts.messages.locate(answers) === null
  ) {
    throw new TroupeError("not_found", "The message to answer again is gone.");
  }
  if (admitted.state === "running") {
    return parts.turns.byRequest(admitted.turn.requestId)?.state === "running" ? showBase(parts, admitted) : null;
  }
  const stored = parts.db.transaction(() =>
    parts.turns.advance(admitted, "start") ? storeInput(parts, admitted.turn) : null,
  );
  if (stored === null) return null;
  parts.window.append(stored);
  return showBase(parts, { ...admitted, state: "running", attempts: admitted.attempts + 1 });
}

/** A turn that answers a stored message again sees the path up to that message, and so do clients. */
export function showBase(parts: ConversationParts, record: TurnRecord): TurnRecord {
  const { answers } = record.turn;
  const base = answers === null ? null : (parts.messages.locate(answers)?.seq ?? null);
  if (base !== null && base !== parts.window.head()) {
    parts.window.show(base);
    tellTail(parts, answers, waitingInput(parts));
  }
  return record;
}

async function runSegment(parts: ConversationParts, record: TurnRecord, signal: AbortSignal): Promise<TurnEnding> {
  const { turn } = record;
  const stream = openStream(parts, record);
  const end = await runTurn({
    messageId: turn.messageId,
    signal,
    clock: parts.clock,
    limits: parts.hooks.limits(),
    emit: (chunk) => stream.emit(chunk),
    answer: () =>
      parts.hooks.onChatMessage({
        requestId: turn.requestId,
        abortSignal: signal,
        signal,
        clientTools: turn.clientTools,
        body: turn.body,
        principal: turn.principal,
        continuation: false,
      }),
  });
  // A cut answer ends here for the model's sources too, whoever ignored the signal.
  if (end.kind !== "completed") parts.aborts.cancel(turn.requestId);
  const message = answerOf(stream, end);
  const ending = await endingAfter(parts, record, end, hasRenderableParts(message));
  await stream.writer.end(streamEnd(ending));
  return settleTurn(parts, record, message, ending);
}

function openStream(parts: ConversationParts, record: TurnRecord): LiveStream {
  const { turn } = record;
  const writer = new SegmentWriter({
    streamId: streamIdOf(turn),
    buffer: { append: async (request) => parts.buffer().append(request) },
    clock: parts.clock,
    limits: parts.hooks.flushLimits(),
    onDegraded: (error) => logError("stream.not-stored", error, { requestId: turn.requestId }),
  });
  const fold = startFold(emptyAssistant(turn.messageId));
  const readers = parts.followers.take(turn.requestId);
  const stream = new LiveStream({ record, continuation: false, writer, fold, readers });
  stream.readers.add({
    chunk: (seq, body) => {
      parts.meter.totals.chunks++;
      parts.sockets.broadcastStream(turn.requestId, chunkFrame(stream, seq, body));
    },
    ended: () => undefined,
  });
  parts.running.stream = stream;
  parts.sockets.streamStarted(turn.requestId, resumingFrame(stream));
  return stream;
}

function chunkFrame(stream: LiveStream, seq: number, body: string): ServerFrame {
  const continuation = stream.continuation ? { continuation: true } : {};
  return { type: CHAT_MESSAGE_TYPES.USE_CHAT_RESPONSE, id: stream.requestId, body, done: false, seq, ...continuation };
}

/** The message as it is to be stored: open parts closed if the stream was cut. */
function answerOf(stream: LiveStream, end: SegmentEnd): UIMessage {
  const message = finalizeFold(stream.fold);
  return end.kind === "completed" ? message : closeOpenParts(message, CUT_TOOL);
}
