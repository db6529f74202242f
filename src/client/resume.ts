/**
 * The handshake on every new socket, and again when a chunk is missing or
 * something is due and nothing comes.
 *
 *   open ──▶ probe {own unfinished requests}
 *            ├─ terminal frames of those that ended
 *            └─ resuming | pending | none {unknown}  ──▶ send what is unknown or still queued
 *
 * Nothing is sent before the probe is answered, so that requests keep their
 * order and none is sent twice. At most one probe waits for its answer. When
 * none comes in time the connection is dead: the shell makes another. A new one
 * is given twice the time, for the server may have to wake up.
 */
import { CHAT_MESSAGE_TYPES as T } from "../shared/wire-words.ts";
import { endAborted, endTurn } from "./answers.ts";
import {
  acceptRequest,
  ask,
  type ChatState,
  closeAnswers,
  findAnswer,
  findRequest,
  isBusy,
  isClosed,
  moveRequest,
  newAnswer,
  type Probe,
  putAnswer,
  sendFrame,
  setAlarm,
} from "./chat-state.ts";
import { isInFlight, requestFrame } from "./own-request.ts";
import { foldAgain, isRunning, type RunningAnswer } from "./running-answer.ts";
import type { ServerFrameOf } from "../shared/server-frames.ts";

/** Requests that may be under way at once: as many as one probe may ask about. */
const MAX_IN_FLIGHT = 32;
/** A probe has this time to be answered. */
export const PROBE_MS = 5_000;
/** What was sent, waits or runs is asked about when nothing comes for this time, and at most for twice this time. */
export const QUIET_MS = 15_000;

export function onOpened(state: ChatState): ChatState {
  return startProbe(detach(state, isRunning), 1);
}

/** Asked for by a person. At most one probe waits for its answer. */
export function onResume(state: ChatState): ChatState {
  const next = { ...state, canResume: true };
  return state.probe?.isAnswered ? startProbe(next) : next;
}

/** Everything the socket carried is over; what is known stays. */
export function onClosed(state: ChatState): ChatState {
  return {
    ...detach(state, isRunning),
    probe: null,
    isListening: false,
    isWaiting: false,
    awaitedFetch: null,
    pageEpoch: state.pageEpoch + 1,
  };
}

function detach(state: ChatState, isLost: (answer: RunningAnswer) => boolean): ChatState {
  return {
    ...state,
    answers: state.answers.map((answer) => (isLost(answer) ? { ...answer, phase: "detached" } : answer)),
  };
}

function startProbe(state: ChatState, retries = 0): ChatState {
  const own = state.requests.filter(isInFlight).map((request) => request.id);
  const heard = state.answers.filter((answer) => state.wantsChunks && isRunning(answer));
  const requests = [...new Set([...own, ...heard.map((answer) => answer.requestId)])].slice(0, MAX_IN_FLIGHT);
  const probe = { id: `probe-${state.probeCount + 1}`, isAnswered: false, retries, requests };
  return sendProbe({ ...state, probeCount: state.probeCount + 1, isListening: false }, probe);
}

function sendProbe(state: ChatState, probe: Probe): ChatState {
  const { id, requests } = probe;
  // Who asks is offered a stream and held back from it: what was acknowledged before has to be once more.
  const heldBack = detach(state, ({ phase }) => phase === "replaying");
  const own = requests.length > 0 ? { requests: [...requests] } : {};
  const question = { type: T.STREAM_RESUME_REQUEST, probeId: id, ...own };
  return setAlarm(sendFrame({ ...heldBack, probe }, question), "probe", PROBE_MS);
}

/** The same question again under its id, so that a late answer counts, also where the shell has no other connection. */
export function onUnanswered(state: ChatState): ChatState {
  const { probe } = state;
  if (probe === null || probe.isAnswered) return state;
  if (probe.retries > 0) return sendProbe(state, { ...probe, retries: probe.retries - 1 });
  return ask(sendProbe({ ...state, silence: "dead" }, probe), { type: "reconnect" });
}

/** What was announced is asked about also when other things came meanwhile. */
export function onQuiet(state: ChatState): ChatState {
  if (!state.isListening) return state;
  return state.silence === "quiet" || state.isWaiting ? startProbe(state) : { ...state, isListening: false };
}

/** As long as something is due, the alarm is set; an idle conversation has none. */
function listen(state: ChatState): ChatState {
  const isListening = isBusy(state);
  if (isListening === state.isListening) return state;
  const next = { ...state, isListening };
  return isListening ? setAlarm({ ...next, silence: "quiet" }, "quiet", QUIET_MS) : next;
}

/** An offer of a running stream: attach to it. Offered again it is attached to again, for the server now holds it back. */
export function onResuming(state: ChatState, frame: ServerFrameOf<"cf_agent_stream_resuming">): ChatState {
  const answered = onAnswer(state, frame, frame.id);
  return isClosed(answered, frame.id) || !isWanted(answered, frame.id) ? answered : attach(answered, frame);
}

function isWanted(state: ChatState, requestId: string): boolean {
  return state.canResume || findRequest(state, requestId) !== undefined || findAnswer(state, requestId) !== undefined;
}

function attach(state: ChatState, frame: ServerFrameOf<"cf_agent_stream_resuming">): ChatState {
  const accepted = acceptRequest({ ...state, isWaiting: false, isRecovering: false }, frame.id, "accept");
  const known = findAnswer(accepted, frame.id) ?? newAnswer(accepted, frame.id, "detached", frame.behind);
  if (known.phase === "replaying") return accepted;
  const isAhead = known.seq === 0 || (frame.lastSeq !== undefined && known.seq > frame.lastSeq);
  const answer = isAhead ? foldAgain(known, frame.lastSeq) : known;
  const isContinuation = answer.isContinuation || frame.continuation === true;
  return sendFrame(putAnswer(accepted, { ...answer, phase: "replaying", isContinuation }), {
    type: T.STREAM_RESUME_ACK,
    id: frame.id,
    after: answer.seq,
  });
}

/** A turn is accepted but does not stream yet; the server will say more by itself. */
export function onPending(state: ChatState, frame: ServerFrameOf<"cf_agent_stream_pending">): ChatState {
  const waiting = { ...onAnswer(state, frame, null), isWaiting: true };
  return frame.id === undefined ? waiting : acceptRequest(waiting, frame.id, "accept");
}

/**
 * Nothing to resume. A request that the probe asked about and that the server
 * neither ended nor called unknown would wait for ever: it counts as cut off.
 */
export function onNone(state: ChatState, frame: ServerFrameOf<"cf_agent_stream_resume_none">): ChatState {
  const isLate = frame.probeId === undefined && state.probe?.isAnswered === true;
  if (state.probe === null || (frame.probeId !== state.probe.id && !isLate)) return state;
  const answered = onAnswer(state, frame, null);
  if (frame.reason === "continuation-owned") return answered;
  const lost = answered.probe?.requests.filter((id) => isStillInFlight(answered, id)) ?? [];
  return lost.reduce(cutOff, { ...answered, isWaiting: false, isRecovering: false });
}

function isStillInFlight(state: ChatState, id: string): boolean {
  const request = findRequest(state, id);
  return request !== undefined && isInFlight(request) && findAnswer(state, id) === undefined;
}

function cutOff(state: ChatState, requestId: string): ChatState {
  const text = "The answer was interrupted.";
  return endTurn(state, { requestId, outcome: "error", text, code: "interrupted", isRetryable: true });
}

/** The answer to the current probe: streams it does not name are over, requests it calls unknown are sent again. */
function onAnswer(
  state: ChatState,
  { probeId, unknown = [] }: Pick<ServerFrameOf<"cf_agent_stream_pending">, "probeId" | "unknown">,
  running: string | null,
): ChatState {
  if (state.probe === null || probeId !== state.probe.id) return state;
  const asked = state.probe.requests;
  const known = asked.filter((id) => unknown.includes(id)).reduce(forget, state);
  const over = state.answers.filter((answer) => answer.phase === "detached" && answer.requestId !== running);
  const told = over.filter((answer) => answer.toldSeq > 0).map((answer) => answer.requestId);
  const requests = asked.filter((id) => !unknown.includes(id));
  return closeAnswers(
    {
      ...known,
      probe: { ...state.probe, isAnswered: true, requests },
      partlyTold: [...state.partlyTold, ...told].slice(-64),
    },
    over.map((answer) => answer.requestId),
  );
}

/** One that the server has had and knows no more went with a cleared conversation; an own one it never had is sent again. */
function forget(state: ChatState, id: string): ChatState {
  const own = findRequest(state, id);
  if (own?.state === "sent") return moveRequest(state, id, "forget");
  const ended = endAborted(state, id, false);
  return own === undefined ? { ...ended, ending: state.ending } : ended;
}

/** After every event: tells the server what is due, when it can be told. */
export function settle(state: ChatState): ChatState {
  const next = state.cancels.reduce(cancel, { ...state, cancels: [] });
  if (!next.probe?.isAnswered) return next;
  const sent = sendQueued(next);
  return sent.answers.some((answer) => answer.phase === "detached") ? startProbe(sent) : listen(sent);
}

/** One that never reached the server ends here and now. */
function cancel(state: ChatState, requestId: string): ChatState {
  if (findRequest(state, requestId)?.state === "queued") return endAborted(state, requestId, true);
  return state.probe?.isAnswered
    ? sendFrame(state, { type: T.CHAT_REQUEST_CANCEL, id: requestId })
    : { ...state, cancels: [...state.cancels, requestId] };
}

function sendQueued(state: ChatState): ChatState {
  const room = MAX_IN_FLIGHT - state.requests.filter(isInFlight).length;
  const due = state.requests.filter((request) => request.state === "queued").slice(0, Math.max(room, 0));
  return due.reduce((next, request) => sendFrame(moveRequest(next, request.id, "send"), requestFrame(request)), state);
}
