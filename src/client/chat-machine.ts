/**
 * The chat of a client as a total function: state × event → state. It never
 * throws; an event that does not fit changes nothing. What it wants done stands
 * in `outbox` of the state it returns; the shell does it and gives nothing back
 * but further events.
 */
import type { UIMessage } from "ai";
import type { ServerFrame, ServerFrameOf } from "../shared/server-frames.ts";
import { CHAT_MESSAGE_TYPES as T } from "../shared/wire-words.ts";
import { endAborted, onResponse } from "./answers.ts";
import { addRequest, cancel, regenerate, type Regenerate, retry, stop } from "./ask-turn.ts";
import {
  type AlarmKind,
  ask,
  type ChatState,
  installTranscript,
  placeOfAnswer,
  sendFrame,
  setAlarm,
} from "./chat-state.ts";
import { isUnfinished, newRequest, type RequestBody } from "./own-request.ts";
import {
  onClosed,
  onNone,
  onOpened,
  onPending,
  onResume,
  onQuiet,
  onResuming,
  onUnanswered,
  settle,
} from "./resume.ts";
import { withUpdatedMessage } from "./running-answer.ts";
import {
  applyPage,
  applyTail,
  dropBefore,
  hasMessage,
  keepIdentity,
  type Page,
  prependOlder,
  replaceMessage,
} from "./transcript.ts";

/** A page that could not be read is asked for again after this time. */
export const PAGE_MS = 2_000;

export type ChatEvent =
  /** A socket opened; whatever the one before carried is over. */
  | { readonly type: "opened" }
  | { readonly type: "closed" }
  | { readonly type: "frame"; readonly frame: ServerFrame }
  | {
      readonly type: "submit";
      readonly requestId: string;
      readonly messages: readonly UIMessage[];
      readonly body?: RequestBody | undefined;
    }
  /** Answer a user message again: the named one, the one before the named answer, or the last. */
  | ({ readonly type: "regenerate" } & Regenerate)
  /** Answer the last user message again, or send again what was refused. */
  | { readonly type: "retry"; readonly requestId: string }
  /** Cancel the answer that runs, whoever asked for it, or else the own request that is next. The others go on. */
  | { readonly type: "stop" }
  /** Cancel this request, whether it waits or runs. */
  | { readonly type: "cancel"; readonly requestId: string }
  /** From now on somebody listens for chunks. */
  | { readonly type: "want-chunks" }
  /** The error has been seen. */
  | { readonly type: "clear-error" }
  /** Show these messages, until the server tells the transcript. */
  | { readonly type: "set-messages"; readonly messages: readonly UIMessage[] }
  /** An alarm that was asked for rings. */
  | { readonly type: "timeout"; readonly kind: AlarmKind }
  /** Ask what runs, and take it. */
  | { readonly type: "resume" }
  /** Read the newest page; the messages before it are still right. */
  | { readonly type: "refresh" }
  /** Empty the conversation, for everybody; only while the link is open. */
  | { readonly type: "clear" }
  /** The newest page, as asked for by `fetch-page`. */
  | {
      readonly type: "page";
      readonly fetch: number;
      readonly messages: readonly UIMessage[];
      readonly hasMore: boolean;
    }
  | { readonly type: "page-failed"; readonly fetch: number }
  /** A page of messages before `before`, asked for when `pageEpoch` was `epoch`. */
  | {
      readonly type: "older";
      readonly epoch: number;
      readonly before: string;
      readonly messages: readonly UIMessage[];
      readonly hasMore: boolean;
    };

export function step(state: ChatState, event: ChatEvent): ChatState {
  const quiet = state.outbox.length === 0 ? state : { ...state, outbox: [] };
  return settle(react(quiet, event));
}

function react(state: ChatState, event: ChatEvent): ChatState {
  switch (event.type) {
    case "opened":
      return onOpened(state);
    case "closed":
      return onClosed(state);
    case "frame":
      return onFrame(state.silence === "none" ? state : { ...state, silence: "none" }, event.frame);
    case "submit":
      return addRequest(state, newRequest(event.requestId, event.messages, event.body));
    case "regenerate":
      return regenerate(state, event);
    case "retry":
      return retry(state, event.requestId);
    case "stop":
      return stop(state);
    case "cancel":
      return cancel(state, [event.requestId]);
    case "resume":
      return onResume(state);
    case "refresh":
      return { ...fetchPage(state), keepsOlder: true };
    case "want-chunks":
      return { ...state, wantsChunks: true };
    case "clear-error":
      return state.ending?.outcome === "error" ? { ...state, ending: null } : state;
    case "set-messages":
      return takePage(state, { messages: event.messages, hasMore: false });
    case "timeout":
      return onTimeout(state, event.kind);
    case "clear":
      return state.probe === null ? state : sendFrame(state, { type: T.CHAT_CLEAR });
    case "page":
      return event.fetch === state.awaitedFetch
        ? takePage(state, state.keepsOlder ? joinPage(state, event) : event)
        : state;
    case "page-failed":
      return event.fetch === state.awaitedFetch ? setAlarm(state, "page", PAGE_MS) : state;
    case "older":
      return onOlder(state, event);
  }
}

function onTimeout(state: ChatState, kind: AlarmKind): ChatState {
  if (kind === "page") return onPageDue(state);
  return kind === "probe" ? onUnanswered(state) : onQuiet(state);
}

function onFrame(state: ChatState, frame: ServerFrame): ChatState {
  switch (frame.type) {
    case T.USE_CHAT_RESPONSE:
      return onResponse(state, frame);
    case T.CHAT_MESSAGES:
      return onMessages(state, frame);
    case T.CHAT_TAIL:
      return onTail(state, frame);
    case T.CHAT_CLEAR:
      return onCleared(state);
    case T.MESSAGE_UPDATED:
      return onMessageUpdated(state, frame.message);
    case T.STREAM_RESUMING:
      return onResuming(state, frame);
    case T.STREAM_PENDING:
      return onPending(state, frame);
    case T.STREAM_RESUME_NONE:
      return onNone(state, frame);
    case T.CHAT_RECOVERING:
      return { ...state, isRecovering: frame.recovering };
    case T.CHAT_ERROR:
      return onRefused(state, frame);
  }
}

function onMessages(state: ChatState, frame: ServerFrameOf<"cf_agent_chat_messages">): ChatState {
  const page = { messages: frame.messages, hasMore: frame.hasMore ?? false };
  if (frame.connect !== true) return takePage(state, page);
  const next = takePage(state, joinPage(state, page));
  const isNews = next.transcript.at(-1)?.id !== state.transcript.at(-1)?.id;
  const answers = next.answers.map((answer) => reset(next, answer));
  const begun = { ...next, ...(isNews ? { ending: null } : {}), answers };
  return next.transcript.length > page.messages.length ? fetchPage(begun) : begun;
}

/** An answer that was offered before the list came stands on the list. */
function reset(state: ChatState, answer: ChatState["answers"][number]): ChatState["answers"][number] {
  if (answer.fold !== null) return answer;
  return { ...answer, origin: state.transcript, behind: placeOfAnswer(state, answer.requestId) };
}

function joinPage({ transcript: messages, hasMore }: ChatState, page: Page): Page {
  return applyPage({ messages, hasMore }, page);
}

/** The page is the transcript. */
function takePage(state: ChatState, page: Page): ChatState {
  const pageEpoch = state.pageEpoch + 1;
  const list = keepIdentity(state.transcript, page.messages);
  return installTranscript({ ...state, hasMore: page.hasMore, first: null, pageEpoch, awaitedFetch: null }, list);
}

function onTail(state: ChatState, frame: ServerFrameOf<"cf_agent_chat_tail">): ChatState {
  const told = applyTail(state.transcript, frame.after, frame.messages);
  if (told === null || state.awaitedFetch !== null) return fetchPage(state);
  const { first } = frame;
  if (first === undefined) return installTranscript(state, told);
  const hasMore = state.hasMore && !hasMessage(told, first);
  return installTranscript({ ...state, first, hasMore }, dropBefore(told, first));
}

/** A page that could not be read is still owed: the list has changed in a way that only the page tells. */
function onPageDue(state: ChatState): ChatState {
  return state.awaitedFetch === null ? state : fetchPage(state);
}

/** A page that is on its way already may be older than what was just told: only the new one counts. */
function fetchPage(state: ChatState): ChatState {
  const fetch = state.fetchCount + 1;
  const atLeast = state.transcript.length;
  return ask(
    { ...state, fetchCount: fetch, awaitedFetch: fetch, keepsOlder: false },
    { type: "fetch-page", fetch, atLeast },
  );
}

function onOlder(state: ChatState, event: Extract<ChatEvent, { type: "older" }>): ChatState {
  if (event.epoch !== state.pageEpoch || !state.hasMore) return state;
  const at = event.messages.findIndex((message) => message.id === state.first);
  const list = prependOlder(state.transcript, event.before, event.messages.slice(Math.max(at, 0)));
  return list === null ? state : { ...state, transcript: list, hasMore: event.hasMore && at === -1 };
}

/**
 * Requests that the server has not seen yet stay. Those it has seen are over: it has ended them itself, except for one
 * whose end waited for this socket to be caught up.
 */
function onCleared(state: ChatState): ChatState {
  const seen = state.requests.filter((request) => request.state === "pending" || request.state === "streaming");
  const gone = [...seen.map(({ id }) => id), ...state.answers.map(({ requestId }) => requestId)];
  const ended = gone.reduce(abort, state);
  return {
    ...ended,
    answers: [],
    transcript: [],
    hasMore: false,
    first: null,
    requests: ended.requests.filter(isUnfinished),
    isWaiting: false,
    isRecovering: false,
    ending: null,
    awaitedFetch: null,
    pageEpoch: state.pageEpoch + 1,
  };
}

function abort(state: ChatState, requestId: string): ChatState {
  return endAborted(state, requestId, false);
}

function onMessageUpdated(state: ChatState, message: UIMessage): ChatState {
  const told = installTranscript(state, replaceMessage(state.transcript, message));
  return { ...told, answers: told.answers.map((answer) => withUpdatedMessage(answer, message)) };
}

function onRefused(state: ChatState, frame: ServerFrameOf<"cf_agent_chat_error">): ChatState {
  const { code, message: text } = frame;
  return { ...state, ending: { requestId: null, outcome: "error", text, code, isRetryable: false } };
}
