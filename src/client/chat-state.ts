/**
 * What a client knows of its conversation, as one value, and the small changes
 * every handler is made of. The handlers stand in `resume.ts` and `answers.ts`;
 * `chat-machine.ts` picks them by event; `view.ts` turns the value into what
 * people see.
 *
 * Invariants: a request id is in `requests` at most once and reaches `ended`
 * once; a request id in `closedIds` takes no more chunks; at most one probe
 * waits for its answer.
 */
import type { UIMessageChunk } from "ai";
import type { ErrorCode } from "../shared/errors.ts";
import type { ClientFrame } from "../shared/wire.ts";
import type { TurnOutcome } from "../shared/wire-words.ts";
import { isUnfinished, nextRequestState, type OwnRequest, type RequestEvent } from "./own-request.ts";
import { isRunning, type RunningAnswer, startAnswer } from "./running-answer.ts";
import { isSame } from "./same.ts";
import { hasMessage, type Transcript } from "./transcript.ts";

/** What an event asks the shell to do, in order. */
export type Effect =
  | { readonly type: "send"; readonly frame: ClientFrame }
  /** Read the newest page over HTTP, of that many messages if it can be, and give it back with this number. */
  | { readonly type: "fetch-page"; readonly fetch: number; readonly atLeast: number }
  /** Give back `timeout` after so many milliseconds, and not what was asked for before for an alarm of this kind. */
  | { readonly type: "alarm"; readonly kind: AlarmKind; readonly ms: number }
  /** Nothing comes over this connection: give it up and make another. */
  | { readonly type: "reconnect" }
  /** A chunk that was folded: each chunk of an answer once, whatever is replayed. */
  | { readonly type: "chunk"; readonly requestId: string; readonly chunk: UIMessageChunk }
  /** Tell whoever wants to know; once for each own request. */
  | { readonly type: "turn-ended"; readonly ending: TurnEnding };

/** `probe`: no answer to a probe came. `quiet`: something is due, and nothing came. `page`: a page was not to be had. */
export type AlarmKind = "probe" | "quiet" | "page";

/** The question asked on each new socket, and again when a chunk is missing: what runs, and what became of mine? */
export interface Probe {
  readonly id: string;
  readonly isAnswered: boolean;
  /** How often it is sent again before the connection counts as dead. */
  readonly retries: number;
  /** The requests it asked about; once it is answered, those of them that the server has. */
  readonly requests: readonly string[];
}

/** How the last turn ended. */
export interface Ending {
  /** Null for a refusal that names no request. */
  readonly requestId: string | null;
  readonly outcome: TurnOutcome;
  /** The error text for people, or the server's note on a turn without an answer; may be empty. */
  readonly text: string;
  readonly code: ErrorCode;
  readonly isRetryable: boolean;
}

export type TurnEnding = Ending & { readonly requestId: string };

export interface ChatState {
  /** The newest run of the server's transcript, as last told. */
  readonly transcript: Transcript;
  /** Whether the server has messages before the first one here. */
  readonly hasMore: boolean;
  /** The first message of the server's transcript, if that was told since the last page; what stood before it is gone. */
  readonly first: string | null;
  /** Answers that stream, own and observed, and ended ones that the server has not told of yet. */
  readonly answers: readonly RunningAnswer[];
  /** Own requests that are unfinished, in order of sending, and the last one that the server refused. */
  readonly requests: readonly OwnRequest[];
  /** The one of the socket that is open; null while none is. */
  readonly probe: Probe | null;
  readonly probeCount: number;
  /** Nothing came since the alarm `quiet` was set; or since a connection was given up. */
  readonly silence: "none" | "quiet" | "dead";
  /** Whether the alarm `quiet` is set: while something is due. */
  readonly isListening: boolean;
  /** Whether streams that somebody else asked for before this socket opened are taken. */
  readonly canResume: boolean;
  /** Whether somebody listens for chunks, and needs those of answers that ended while no socket was open. */
  readonly wantsChunks: boolean;
  /** Requests whose answers were told in part and then forgotten: nothing more of them is told but their end. The newest 64. */
  readonly partlyTold: readonly string[];
  /** The server has said that a turn is accepted but does not stream yet. */
  readonly isWaiting: boolean;
  /** The server brings back a turn that was cut off. */
  readonly isRecovering: boolean;
  readonly ending: Ending | null;
  /** Requests to cancel as soon as the server can be told. */
  readonly cancels: readonly string[];
  /** Request ids that take no more chunks; the newest 64. */
  readonly closedIds: readonly string[];
  /** The page that is on its way and still counts; null when the transcript needs none. */
  readonly awaitedFetch: number | null;
  /** Whether that page leaves what stands before it. */
  readonly keepsOlder: boolean;
  readonly fetchCount: number;
  /** Counts how often what stands before the transcript may have changed: an older page asked for earlier is void. */
  readonly pageEpoch: number;
  /** What the last event asks the shell to do. */
  readonly outbox: readonly Effect[];
}

export const emptyChat: ChatState = {
  transcript: [],
  hasMore: false,
  first: null,
  answers: [],
  requests: [],
  probe: null,
  probeCount: 0,
  silence: "none",
  isListening: false,
  canResume: true,
  wantsChunks: false,
  partlyTold: [],
  isWaiting: false,
  isRecovering: false,
  ending: null,
  cancels: [],
  closedIds: [],
  awaitedFetch: null,
  keepsOlder: false,
  fetchCount: 0,
  pageEpoch: 0,
  outbox: [],
};

const MAX_CLOSED_IDS = 64;

export function ask(state: ChatState, effect: Effect): ChatState {
  return { ...state, outbox: [...state.outbox, effect] };
}

export function sendFrame(state: ChatState, frame: ClientFrame): ChatState {
  return ask(state, { type: "send", frame });
}

/** Sets the alarm of a kind, in the place of the one before. */
export function setAlarm(state: ChatState, kind: AlarmKind, ms: number): ChatState {
  return ask(state, { type: "alarm", kind, ms });
}

export function findRequest(state: ChatState, id: string): OwnRequest | undefined {
  return state.requests.find((request) => request.id === id);
}

export function findAnswer(state: ChatState, requestId: string): RunningAnswer | undefined {
  return state.answers.find((answer) => answer.requestId === requestId);
}

/** An answer that begins for this client, behind message `behind` if the server has said so. */
export function newAnswer(
  state: ChatState,
  requestId: string,
  phase: RunningAnswer["phase"],
  behind?: string,
): RunningAnswer {
  const toldSeq = state.partlyTold.includes(requestId) ? Number.POSITIVE_INFINITY : 0;
  return { ...startAnswer(requestId, phase, placeOfAnswer(state, requestId, behind), state.transcript), toldSeq };
}

export function putAnswer(state: ChatState, answer: RunningAnswer): ChatState {
  const others = state.answers.filter((other) => other.requestId !== answer.requestId);
  return { ...state, answers: [...others, answer] };
}

/** Takes no more chunks for these requests; what they streamed is forgotten. */
export function closeAnswers(state: ChatState, requestIds: readonly string[]): ChatState {
  const answers = state.answers.filter((answer) => !requestIds.includes(answer.requestId));
  return closeIds({ ...state, answers }, requestIds);
}

/** Takes no more chunks for the answer; it is shown until the server tells the transcript. */
export function endAnswer(state: ChatState, answer: RunningAnswer): ChatState {
  return closeIds(putAnswer(state, { ...answer, phase: "ended" }), [answer.requestId]);
}

function closeIds(state: ChatState, requestIds: readonly string[]): ChatState {
  if (requestIds.length === 0) return state;
  return {
    ...state,
    closedIds: [...state.closedIds.filter((id) => !requestIds.includes(id)), ...requestIds].slice(-MAX_CLOSED_IDS),
  };
}

/** Whether the id takes no more chunks and no end. What went by under the id of an own request that is unfinished was another. */
export function isClosed(state: ChatState, requestId: string): boolean {
  const request = findRequest(state, requestId);
  return state.closedIds.includes(requestId) && (request === undefined || !isUnfinished(request));
}

/** Moves one own request; unknown ids are nobody's business. */
export function moveRequest(state: ChatState, id: string, event: RequestEvent): ChatState {
  return updateRequest(state, id, (request) => ({ ...request, state: nextRequestState(request.state, event) }));
}

/** The server has the request: from here on its messages are shown where the server's transcript has them. */
export function acceptRequest(state: ChatState, id: string, event: "accept" | "stream"): ChatState {
  const request = findRequest(state, id);
  if (request === undefined || !isUnfinished(request)) return state;
  return updateRequest(moveRequest(state, id, event), id, (own) => ({ ...own, isAccepted: true }));
}

export function updateRequest(state: ChatState, id: string, change: (request: OwnRequest) => OwnRequest): ChatState {
  if (findRequest(state, id) === undefined) return state;
  return { ...state, requests: state.requests.map((request) => (request.id === id ? change(request) : request)) };
}

/**
 * Takes the transcript as the server tells it; answers that ended before are in it. Messages that people already see
 * with the same content, from a stream or from their own sending, stay the same
 * objects; own requests whose messages are in it are accepted.
 */
export function installTranscript(state: ChatState, list: Transcript): ChatState {
  const shown = [
    ...state.answers.flatMap((answer) => (answer.fold === null ? [] : [answer.fold.message])),
    ...state.requests.flatMap((request) => request.messages),
  ];
  const transcript = withShownObjects(list, shown);
  const answers = state.answers.filter(isRunning).map(withoutNews);
  const accepted = state.requests.filter(
    (request) => !request.isAccepted && request.messages.every((message) => hasMessage(transcript, message.id)),
  );
  const told: ChatState = { ...state, transcript, answers };
  return accepted.reduce((next, request) => acceptRequest(next, request.id, "accept"), told);
}

function withoutNews(answer: RunningAnswer): RunningAnswer {
  return answer.isNews ? { ...answer, isNews: false } : answer;
}

function withShownObjects(told: Transcript, shown: Transcript): Transcript {
  if (shown.length === 0) return told;
  const list = told.map((message) => shown.find((own) => own.id === message.id && isSame(own, message)) ?? message);
  return list.every((message, at) => message === told[at]) ? told : list;
}

/** Where the answer to a request belongs: where the server says, or behind the last message it brings, or behind what there is. */
export function placeOfAnswer(state: ChatState, requestId: string, told?: string): string | null {
  return told ?? (findRequest(state, requestId)?.messages.at(-1) ?? state.transcript.at(-1))?.id ?? null;
}

/** The request whose answer runs; null when nothing runs or waits; undefined as long as the server has not said. */
export function runningRequest(state: ChatState): string | null | undefined {
  if (!state.probe?.isAnswered) return undefined;
  const running = state.answers.findLast((answer) => isRunning(answer) && answer.phase !== "detached");
  return running?.requestId ?? (isBusy(state) ? undefined : null);
}

/** Whether the server, as far as this client knows, has or will have something to do. */
export function isBusy(state: ChatState): boolean {
  return state.answers.some(isRunning) || state.isWaiting || state.isRecovering || state.requests.some(isUnfinished);
}
