/** What a person asks for: an answer, another one, or that it stops. */
import type { UIMessage } from "ai";
import { isLarger } from "../shared/json-limits.ts";
import { MAX_FRAME_BYTES } from "../shared/wire-words.ts";
import { ask, type ChatState, isBusy } from "./chat-state.ts";
import {
  isUnfinished,
  newRegenerate,
  newRequest,
  type OwnRequest,
  type RequestBody,
  requestFrame,
} from "./own-request.ts";
import { isRunning } from "./running-answer.ts";
import { indexOfMessage } from "./transcript.ts";

export interface Regenerate {
  readonly requestId: string;
  readonly messageId?: string | undefined;
  /** The user message itself, for a caller who has it. */
  readonly asked?: UIMessage | undefined;
  readonly body?: RequestBody | undefined;
}

/** A new request takes the place of one that was refused, unless it is too large to be sent at all. */
export function addRequest(state: ChatState, request: OwnRequest): ChatState {
  const requests = state.requests.filter((own) => isUnfinished(own) && own.id !== request.id);
  const frame = JSON.stringify(requestFrame(request));
  if (!isLarger(frame, MAX_FRAME_BYTES)) {
    return { ...state, requests: [...requests, request], ending: null };
  }
  const text = "The message is too large.";
  const ending = { requestId: request.id, outcome: "error", text, code: "too_large", isRetryable: false } as const;
  const refused = { ...state, requests: [...requests, { ...request, state: "ended" as const }], ending };
  return ask(refused, { type: "turn-ended", ending });
}

export function retry(state: ChatState, requestId: string): ChatState {
  if (isBusy(state)) return state;
  // What was refused together is sent again together: nothing that a person wrote is lost.
  const refused = state.requests.flatMap((request) => request.messages);
  return refused.length > 0
    ? addRequest(state, newRequest(requestId, refused, state.requests.at(-1)?.body))
    : regenerate(state, { requestId });
}

/** What there is to answer again is found in the transcript, unless the caller has it. */
export function regenerate(state: ChatState, { requestId, messageId, asked: given, body }: Regenerate): ChatState {
  const at = messageId === undefined ? state.transcript.length : indexOfMessage(state.transcript, messageId);
  const asked = given ?? state.transcript.slice(0, at + 1).findLast((message) => message.role === "user");
  return asked === undefined ? state : addRequest(state, newRegenerate(requestId, asked, messageId ?? asked.id, body));
}

export function stop(state: ChatState): ChatState {
  const running = state.answers.filter(isRunning).map((answer) => answer.requestId);
  const next = state.requests.filter(isUnfinished).slice(0, 1);
  const stopped = running.length > 0 ? running : next.map((request) => request.id);
  return cancel(state, stopped);
}

/** Notes what is to be cancelled, as soon as the server can be told. */
export function cancel(state: ChatState, requestIds: readonly string[]): ChatState {
  return { ...state, cancels: [...new Set([...state.cancels, ...requestIds])] };
}
