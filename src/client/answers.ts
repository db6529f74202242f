/**
 * The one write path of answers: chunks of own requests, of other people's and
 * of replays, and the frame that ends a request.
 */
import type { UIMessageChunk } from "ai";
import { hasRenderableParts } from "../shared/apply-chunk.ts";
import { isObject, parseJson } from "../shared/parse-json.ts";
import type { ServerFrameOf } from "../shared/server-frames.ts";
import { CHAT_MESSAGE_TYPES as T } from "../shared/wire-words.ts";
import {
  acceptRequest,
  ask,
  type ChatState,
  closeAnswers,
  endAnswer,
  findAnswer,
  findRequest,
  isClosed,
  moveRequest,
  newAnswer,
  putAnswer,
  sendFrame,
  type TurnEnding,
  updateRequest,
} from "./chat-state.ts";
import { receiveChunk, type RunningAnswer } from "./running-answer.ts";
import { hasMessage } from "./transcript.ts";

type ResponseFrame = ServerFrameOf<"cf_agent_use_chat_response">;

/** Every frame of a response. A frame with an error ends its request even without `done`. */
export function onResponse(state: ChatState, frame: ResponseFrame): ChatState {
  if (frame.done || frame.error === true) {
    return (frame.replay === true ? null : takeRest(state, frame)) ?? endTurn(withTaken(state, frame), endingOf(frame));
  }
  if (frame.replayComplete === true) return onCaughtUp(state, frame.id);
  const chunk = parseChunk(frame.body);
  if (chunk === null || isClosed(state, frame.id)) return state;
  return onChunk(state, frame, chunk);
}

function onChunk(state: ChatState, frame: ResponseFrame, chunk: UIMessageChunk): ChatState {
  const known = findAnswer(state, frame.id);
  if (known === undefined && frame.replay === true) return state;
  const accepted = acceptRequest(state, frame.id, "stream");
  const answer = known ?? startHeard(accepted, frame.id);
  const grown = receiveChunk(answer, frame, chunk);
  const isTold = frame.seq === undefined ? grown !== answer : grown.toldSeq > answer.toldSeq;
  const put = putAnswer(accepted, grown);
  const next = isTold ? ask(put, { type: "chunk", requestId: frame.id, chunk }) : put;
  return known === undefined ? { ...next, isWaiting: false, isRecovering: false, ending: null } : next;
}

/**
 * Somebody listens for chunks, and this request may have some that have not
 * come: they are asked for, and the end comes again behind them, as part of the
 * replay. Null: there are none.
 */
function takeRest(state: ChatState, { id }: ResponseFrame): ChatState | null {
  if (!state.wantsChunks || isClosed(state, id)) return null;
  const wasAsked = state.probe?.isAnswered === false && state.probe.requests.includes(id);
  const answer =
    findAnswer(state, id) ?? (wasAsked && !state.partlyTold.includes(id) ? newAnswer(state, id, "detached") : null);
  if (answer?.phase !== "detached" && answer?.phase !== "replaying") return null;
  const attached = putAnswer(state, { ...answer, phase: "replaying" });
  return sendFrame(attached, { type: T.STREAM_RESUME_ACK, id, after: answer.seq });
}

function startHeard(state: ChatState, requestId: string): RunningAnswer {
  return { ...newAnswer(state, requestId, "live"), isObserved: findRequest(state, requestId) === undefined };
}

function onCaughtUp(state: ChatState, requestId: string): ChatState {
  const answer = findAnswer(state, requestId);
  return answer?.phase === "replaying" ? putAnswer(state, { ...answer, phase: "live" }) : state;
}

/**
 * Ends a request, once. What people see of the answer stays: as the server told
 * it, or, if it has told nothing since the last chunk, as it was streamed.
 */
export function endTurn(state: ChatState, ending: TurnEnding): ChatState {
  const { requestId } = ending;
  if (isClosed(state, requestId)) return state;
  const answer = findAnswer(state, requestId);
  const isKept = answer !== undefined && isUntold(state, answer);
  const closed = endRequest(isKept ? endAnswer(state, answer) : closeAnswers(state, [requestId]), ending);
  return {
    ...ask(closed, { type: "turn-ended", ending }),
    ending,
    isWaiting: false,
    isRecovering: ending.outcome === "recovering",
    cancels: state.cancels.filter((id) => id !== requestId),
  };
}

/** Ends a request that the server has nothing of, or was told to stop before it had. */
export function endAborted(state: ChatState, requestId: string, isRetryable: boolean): ChatState {
  return endTurn(state, { requestId, outcome: "aborted", text: "", code: "aborted", isRetryable });
}

/** A request whose messages the server names as taken was not refused, wherever in the transcript they stand. */
function withTaken(state: ChatState, frame: ResponseFrame): ChatState {
  const request = findRequest(state, frame.id);
  const hasTaken = request?.messages.some((message) => frame.messageIds?.includes(message.id)) ?? false;
  return hasTaken ? updateRequest(state, frame.id, (own) => ({ ...own, isAccepted: true })) : state;
}

/**
 * An answer that this socket was not attached to is in the list that the socket began with, if anywhere. One that the
 * transcript has is there as the server stored it, whatever is replayed of it later.
 */
function isUntold({ transcript }: ChatState, answer: RunningAnswer): boolean {
  const message = answer.fold?.message;
  if (message === undefined || !hasRenderableParts(message) || !answer.isNews) return false;
  const isStored = !answer.isContinuation && hasMessage(transcript, message.id);
  return answer.phase !== "detached" && !isStored;
}

/** A request that failed before the server took its messages stays, so that nothing a person wrote is lost. */
function endRequest(state: ChatState, ending: TurnEnding): ChatState {
  const request = findRequest(state, ending.requestId);
  if (request === undefined) return state;
  const ended = moveRequest(state, request.id, "end");
  const isRefused = ending.outcome === "error" && !request.isAccepted;
  return isRefused ? ended : { ...ended, requests: ended.requests.filter((own) => own.id !== request.id) };
}

function endingOf(frame: ResponseFrame): TurnEnding {
  const outcome = frame.error === true ? "error" : (frame.outcome ?? "completed");
  return {
    requestId: frame.id,
    outcome,
    text: frame.body,
    code: frame.code ?? "internal",
    isRetryable: frame.retryable ?? outcome === "error",
  };
}

function parseChunk(body: string): UIMessageChunk | null {
  const chunk = parseJson(body);
  return isObject(chunk) && typeof chunk["type"] === "string" ? (chunk as UIMessageChunk) : null;
}
