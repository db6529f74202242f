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
import { logError } from "../../../shared/platform/log.ts";
import { sanitizeForStorage } from "../../../shared/sanitize.ts";
import type { StreamEnd } from "../../stream-buffer/contract.ts";
import type { ClientError } from "../contract.ts";
import type { ConversationParts } from "../parts.ts";
import { announceEnding, tellReaders, terminalFrame } from "../sessions/announce.ts";
import { tellTail, waitingInput } from "../transcript/view.ts";
import { storeInput } from "./store-input.ts";
import { toClientError } from "./client-error.ts";
import { LiveStream } from "./live-stream.ts";
import { runTurn, type SegmentEnd } from "./run-turn.ts";
import { SegmentWriter } from "./segment-writer.ts";
import type { TurnRecord } from "./turn-log.ts";
import type { TurnState } from "./turn-state.ts";
import { streamIdOf, type TurnEnding } from "./turn.ts";

export const NO_RESPONSE = "No response was generated.";
const CUT_TOOL = "The answer ended before the tool did.";

/** Runs an admitted turn. Resolves with its ending; never rejects. */
export async function conductTurn(parts: ConversationParts, admitted: TurnRecord): Promise<TurnEnding> {
  const record = begin(parts, admitted);
  if (record === null) return endingOf(parts, admitted);
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

/** Takes the turn from its record; null when it was cancelled or cleared while it waited. */
function begin(parts: ConversationParts, admitted: TurnRecord): TurnRecord | null {
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
    chunk: (seq, body) => parts.sockets.broadcastStream(turn.requestId, chunkFrame(stream, seq, body)),
    ended: () => undefined,
  });
  parts.running.stream = stream;
  parts.sockets.streamStarted(turn.requestId);
  return stream;
}

function chunkFrame(
  stream: LiveStream,
  seq: number,
  body: string,
): Parameters<ConversationParts["sockets"]["broadcast"]>[0] {
  const continuation = stream.continuation ? { continuation: true } : {};
  return { type: "cf_agent_use_chat_response", id: stream.requestId, body, done: false, seq, ...continuation };
}

/** The message as it is to be stored: open parts closed if the stream was cut. */
function answerOf(stream: LiveStream, end: SegmentEnd): UIMessage {
  const message = finalizeFold(stream.fold);
  return end.kind === "completed" ? message : closeOpenParts(message, CUT_TOOL);
}

async function endingAfter(
  parts: ConversationParts,
  record: TurnRecord,
  end: SegmentEnd,
  hasAnswer: boolean,
): Promise<TurnEnding> {
  const messageIds = record.turn.input.map((message) => message.id);
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
    const replaced = await parts.hooks.onChatError(error, { requestId, stage, messagesPersisted });
    if (replaced === error || replaced === undefined || replaced === null) return mapped;
    const message = replaced instanceof Error ? replaced.message : String(replaced);
    return { ...mapped, message };
  } catch (hookError) {
    logError("hook.failed", hookError, { hook: "onChatError", requestId });
    return mapped;
  }
}

function failedEnding(record: TurnRecord, error: ClientError): TurnEnding {
  return { state: "failed", error, messageIds: record.turn.input.map((message) => message.id) };
}

function streamEnd(ending: TurnEnding): StreamEnd {
  return ending.state === "completed"
    ? { kind: "finished" }
    : { kind: "failed", message: ending.error?.message ?? ending.state };
}

/**
 * Stores the answer and the ending in one transaction, then tells everybody.
 * When the turn has been lost meanwhile nothing is written and nothing told.
 */
export function settleTurn(
  parts: ConversationParts,
  record: TurnRecord,
  answer: UIMessage | null,
  ending: TurnEnding,
): TurnEnding {
  const message = answer === null ? null : toStore(parts, answer, ending);
  const outcome = message === "refused" ? refusedByHook(record) : ending;
  const stored = commit(parts, record, message === "refused" ? null : message, outcome);
  const stream = parts.running.stream?.record.seq === record.seq ? parts.running.stream : null;
  if (stream !== null) parts.running.stream = null;
  parts.window.reload();
  if (!stored) {
    const lost = endingOf(parts, record);
    tellReaders(parts, record.turn.requestId, stream, lost);
    return lost;
  }
  announceEnding(parts, record, outcome, stream);
  return outcome;
}

function commit(parts: ConversationParts, record: TurnRecord, message: UIMessage | null, ending: TurnEnding): boolean {
  const event = { completed: "finish", failed: "fail", aborted: "cancel", superseded: "supersede" } as const;
  const parent = parts.window.head();
  return parts.db.transaction(() => {
    if (!parts.turns.advance(record, event[ending.state], ending)) return false;
    if (message !== null) parts.messages.append(message, parent);
    const limit = parts.hooks.maxPersistedMessages();
    if (limit !== undefined) parts.messages.trim(limit);
    return true;
  });
}

/** The persist pipeline: sanitize, the user's `onSanitizeMessage`, the mark of a cut answer. Null: nothing worth a row. */
function toStore(parts: ConversationParts, answer: UIMessage, ending: TurnEnding): UIMessage | null | "refused" {
  if (!hasRenderableParts(answer)) return null;
  try {
    const sanitized = parts.hooks.onSanitizeMessage(sanitizeForStorage(answer));
    return ending.state === "completed" ? sanitized : { ...sanitized, metadata: marked(sanitized.metadata, ending) };
  } catch (error) {
    // It may be there to redact; storing what it did not see would be worse than storing nothing.
    logError("hook.failed", error, { hook: "onSanitizeMessage" });
    return "refused";
  }
}

/** Metadata that tells, also after a reload, that the answer was cut and why. */
function marked(metadata: unknown, ending: TurnEnding): Record<string, unknown> {
  const own = typeof metadata === "object" && metadata !== null ? metadata : {};
  return { ...own, troupe: { outcome: ending.state, ...(ending.error === undefined ? {} : { error: ending.error }) } };
}

function refusedByHook(record: TurnRecord): TurnEnding {
  return failedEnding(record, { code: "internal", message: "The answer could not be stored.", retryable: true });
}

function endingOf(parts: ConversationParts, record: TurnRecord): TurnEnding {
  const stored = parts.turns.byRequest(record.turn.requestId)?.ending;
  return stored ?? { state: "aborted" satisfies TurnState, messageIds: record.turn.input.map((message) => message.id) };
}
