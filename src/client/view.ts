/**
 * What people see of a chat state. Same state, same view; and what did not
 * change for the eye keeps its identity from one view to the next.
 */
import type { UIMessage } from "ai";
import { hasRenderableParts } from "../shared/apply-chunk.ts";
import type { ErrorCode } from "../shared/errors.ts";
import type { TurnOutcome } from "../shared/wire-words.ts";
import { type ChatState, findAnswer, isBusy } from "./chat-state.ts";
import type { LinkState } from "./link.ts";
import { cutOf } from "./cut-answer.ts";
import { isUnfinished } from "./own-request.ts";
import { isRunning, type RunningAnswer } from "./running-answer.ts";
import { isSame } from "./same.ts";
import { appendMissing, hasMessage, keepIdentity, placeMessage, type Transcript } from "./transcript.ts";

/** `submitted`: accepted or on its way, nothing to see of an answer yet. `error`: the last turn failed; `error` says why. */
export type ChatStatus = "ready" | "submitted" | "streaming" | "error";

export interface ChatView {
  /** Oldest first: the server's messages, answers that stream, and own messages on their way. */
  readonly messages: readonly UIMessage[];
  /** The message that streams; null while none does. */
  readonly streamingId: string | null;
  /** Own messages that wait for another turn or for a connection, oldest first. */
  readonly waitingIds: readonly string[];
  readonly status: ChatStatus;
  /** Set while `status` is `error`. */
  readonly error?: { readonly message: string; readonly code: ErrorCode; readonly retryable: boolean };
  readonly link: LinkState;
  /** Why nothing comes: the server refused the connection for good, or has left questions unanswered. */
  readonly connectionError: ConnectionError | null;
  /** Whether the server brings back a turn that was cut off. */
  readonly isRecovering: boolean;
  /** Whether what streams was asked for by somebody else: another tab, a schedule, other code of the server. */
  readonly isObserved: boolean;
  /** Whether what streams goes on with an answer that stood there before. */
  readonly isContinuation: boolean;
  /** Whether `loadOlder` would find more. */
  readonly hasMore: boolean;
  /** Own requests that wait for a connection. */
  readonly queued: number;
  /** Whether `retry` would do something sensible: the last turn failed, was stopped, or never got an answer. */
  readonly canRetry: boolean;
  /** How the last turn that this client saw ended; `text` is what the server said about it. Not set while one runs. */
  readonly lastTurn?: { readonly outcome: TurnOutcome; readonly text: string };
}

export interface ConnectionError {
  readonly reason: "refused" | "silent";
  readonly message: string;
}

/** The view of `state`; `previous` itself when it shows the same. */
export function viewOf(state: ChatState, link: LinkState, previous: ChatView | null): ChatView {
  const shown = visibleMessages(state);
  const messages = previous === null ? shown : keepIdentity(previous.messages, shown);
  const connectionError = connectionErrorOf(state, link);
  const view = { messages, link, connectionError, hasMore: state.hasMore, ...activity(state) };
  return previous !== null && isSameView(previous, view) ? previous : view;
}

function connectionErrorOf({ silence }: ChatState, link: LinkState): ConnectionError | null {
  if (link === "closed-for-good") return { reason: "refused", message: "The server refused the connection." };
  return silence === "dead" ? { reason: "silent", message: "The server does not answer." } : null;
}

type Activity = Omit<ChatView, "messages" | "link" | "connectionError" | "hasMore">;

function activity(state: ChatState): Activity {
  const { ending } = state;
  const status = statusOf(state);
  const running = state.answers.filter(isRunning);
  const isError = status === "error" && ending !== null;
  return {
    status,
    isRecovering: state.isRecovering,
    isObserved: running.length > 0 && running.every((answer) => answer.isObserved),
    isContinuation: running.some((answer) => answer.isContinuation),
    streamingId: streamed(state)?.id ?? null,
    waitingIds: waitingIdsOf(state),
    queued: state.requests.filter((request) => request.state === "queued").length,
    canRetry: canRetry(state),
    ...(isError ? { error: { message: ending.text, code: ending.code, retryable: ending.isRetryable } } : {}),
    ...(ending === null || isBusy(state) ? {} : { lastTurn: { outcome: ending.outcome, text: ending.text } }),
  };
}

function statusOf(state: ChatState): ChatStatus {
  if (streamed(state) !== null) return "streaming";
  if (isBusy(state)) return "submitted";
  return state.ending?.outcome === "error" ? "error" : "ready";
}

function streamed(state: ChatState): UIMessage | null {
  return (
    state.answers
      .filter(isRunning)
      .map(shownOf)
      .findLast((message) => message !== null) ?? null
  );
}

/** Turns run one after the other, so that while nothing runs the oldest own request that was sent is the next. */
function waitingIdsOf(state: ChatState): string[] {
  const unfinished = state.requests.filter(isUnfinished);
  const next = state.answers.some(isRunning) ? undefined : unfinished[0];
  return unfinished
    .filter((request) => request.trigger === "submit-message" && findAnswer(state, request.id) === undefined)
    .filter((request) => request !== next || request.state === "queued")
    .flatMap((request) => request.messages.map((message) => message.id));
}

function canRetry(state: ChatState): boolean {
  const { ending, transcript } = state;
  const isFinal = ending?.outcome === "error" && !ending.isRetryable;
  if (isBusy(state) || isFinal) return false;
  // One that was refused may be tried again whatever became of those behind it.
  if (state.requests.length > 0) return true;
  if (!transcript.some((message) => message.role === "user")) return false;
  const last = transcript.at(-1);
  const isUnanswered = last?.role === "user" || (last !== undefined && cutOf(last) !== null);
  return isUnanswered || ending?.outcome === "error" || ending?.outcome === "aborted";
}

function visibleMessages(state: ChatState): Transcript {
  const withAnswers = state.answers.reduce(overlay, state.transcript);
  const own = state.requests.filter((request) => !request.isAccepted).flatMap((request) => request.messages);
  return appendMissing(withAnswers, own);
}

/**
 * The streamed version of a message, unless the socket has yet to catch up: then what the server told stands when it is
 * no shorter, and an answer to a message that is older than all that was told has no place.
 */
function overlay(list: Transcript, answer: RunningAnswer): Transcript {
  const message = shownOf(answer);
  if (message === null) return list;
  const told = list.find((other) => other.id === message.id);
  const isCatchingUp = answer.phase === "detached" || answer.phase === "replaying";
  const { behind } = answer;
  const isBehind = told ? sizeOf(told) >= sizeOf(message) : behind !== null && !hasMessage(list, behind);
  return isCatchingUp && isBehind ? list : placeMessage(list, message, behind);
}

/** The answer so far; null before there is anything to see of it. */
function shownOf({ fold }: RunningAnswer): UIMessage | null {
  return fold !== null && hasRenderableParts(fold.message) ? fold.message : null;
}

function sizeOf(message: UIMessage): number {
  return message.parts.reduce((sum, part) => sum + 1 + ("text" in part ? part.text.length : 0), 0);
}

function isSameView(a: ChatView, b: ChatView): boolean {
  return a.messages === b.messages && isSame({ ...a, messages: null }, { ...b, messages: null });
}
