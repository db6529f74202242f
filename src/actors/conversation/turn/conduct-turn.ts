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
import { isStepSettled, openCalls } from "../../../shared/open-calls.ts";
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
import { closeWaiting, earlierAnswer, pauseTurn, supersedeWaiting } from "./pause.ts";
import { nextSegment, type TurnRecord } from "./turn-log.ts";
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

/** The next segment of a turn that waited. Resolves with the turn's ending, or that of the segment when it waits again; never rejects. */
export async function continueTurn(parts: ConversationParts, waiting: TurnRecord): Promise<TurnEnding> {
  const { requestId } = waiting.turn;
  parts.meter.begin(requestId, parts.clock.now());
  try {
    const record = resume(parts, waiting);
    return record === null ? endingOf(parts, waiting) : await conduct(parts, record);
  } catch (error) {
    return giveUp(parts, waiting, error);
  } finally {
    parts.meter.end(requestId, parts.clock.now());
  }
}

/** Takes the turn from waiting; null when something else has happened to it. */
function resume(parts: ConversationParts, waiting: TurnRecord): TurnRecord | null {
  return parts.db.transaction(() => (parts.turns.advance(waiting, "resume") ? nextSegment(waiting) : null));
}

async function conduct(parts: ConversationParts, record: TurnRecord): Promise<TurnEnding> {
  const signal = parts.aborts.getSignal(record.turn.requestId);
  try {
    return await parts.awake.hold(() => runSegments(parts, record, signal));
  } catch (error) {
    return giveUp(parts, record, error);
  } finally {
    parts.aborts.remove(record.turn.requestId);
  }
}

/** Runs the segment, and those behind it as long as every call is answered by the time that its segment ends. */
async function runSegments(parts: ConversationParts, record: TurnRecord, signal: AbortSignal): Promise<TurnEnding> {
  for (let running = record; ;) {
    const outcome = await runSegment(parts, running, signal);
    if (outcome.kind === "ended") return outcome.ending;
    const { waiting, message } = outcome;
    const isSettled = isStepSettled(message);
    const next = isSettled && waiting.turn.continueWhenSettled ? resume(parts, waiting) : null;
    if (next === null) {
      if (isSettled) parts.db.transaction(() => closeWaiting(parts, waiting, "finish"))();
      return { state: "completed", messageIds: waiting.turn.inputIds };
    }
    running = next;
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
  const begun = parts.db.transaction(() => {
    if (!parts.turns.advance(admitted, "start")) return null;
    return { tellClosed: supersedeWaiting(parts), stored: storeInput(parts, admitted.turn) };
  });
  if (begun === null) return null;
  begun.tellClosed();
  parts.window.append(begun.stored);
  return showBase(parts, nextSegment(admitted));
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

type SegmentOutcome =
  | { readonly kind: "ended"; readonly ending: TurnEnding }
  | { readonly kind: "waits"; readonly waiting: TurnRecord; readonly message: UIMessage };

async function runSegment(parts: ConversationParts, record: TurnRecord, signal: AbortSignal): Promise<SegmentOutcome> {
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
        requestId: record.requestId,
        abortSignal: signal,
        signal,
        clientTools: turn.clientTools,
        body: turn.body,
        principal: turn.principal,
        continuation: record.segment > 1,
      }),
  });
  // A cut answer ends here for the model's sources too, whoever ignored the signal.
  if (end.kind !== "completed") parts.aborts.cancel(turn.requestId);
  const message = answerOf(stream, end);
  if (
    end.kind === "completed" &&
    (openCalls(message).length > 0 || (stream.answers !== null && isStepSettled(message)))
  ) {
    // Answers may come while this waits; none can between the last look at them and the commit.
    while (stream.writer.storedSeq < stream.writer.lastSeq && !stream.writer.hasGivenUp) await stream.writer.flush();
    const isStored = stream.writer.end({ kind: "finished" });
    const pause = { message: finalizeFold(stream.fold), turn: stream.answers ?? turn };
    const waiting = pauseTurn(parts, record, pause);
    await isStored;
    if (waiting !== null) return { kind: "waits", waiting, message: pause.message };
  }
  const ending = await endingAfter(parts, record, end, hasRenderableParts(message));
  await stream.writer.end(streamEnd(ending));
  return { kind: "ended", ending: settleTurn(parts, record, message, ending) };
}

function openStream(parts: ConversationParts, record: TurnRecord): LiveStream {
  const { turn } = record;
  const writer = new SegmentWriter({
    streamId: streamIdOf(turn, record.segment),
    buffer: { append: async (request) => parts.buffer().append(request) },
    clock: parts.clock,
    limits: parts.hooks.flushLimits(),
    onDegraded: (error) => logError("stream.not-stored", error, { requestId: record.requestId }),
  });
  const fold = startFold(earlierAnswer(parts, record)?.message ?? emptyAssistant(turn.messageId));
  const readers = parts.followers.take(record.requestId);
  const stream = new LiveStream({ record, writer, fold, readers });
  stream.readers.add({
    chunk: (seq, body) => {
      parts.meter.totals.chunks++;
      parts.sockets.broadcastStream(record.requestId, chunkFrame(stream, seq, body));
    },
    ended: () => undefined,
  });
  parts.running.stream = stream;
  parts.sockets.streamStarted(record.requestId, resumingFrame(stream));
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
