/**
 * The handshake on every new socket, and again when a chunk is missing.
 *
 *   open ──▶ probe {own unfinished requests}
 *            ├─ terminal frames of those that ended
 *            └─ resuming | pending | none {unknown}  ──▶ send what is unknown or still queued
 *
 * Nothing is sent before the probe is answered, so that requests keep their
 * order and none is sent twice. At most one probe waits for its answer; it is
 * sent again when none comes in time.
 */
import { CHAT_MESSAGE_TYPES as T } from "../shared/wire-words.ts";
import { endAborted, endTurn } from "./answers.ts";
import {
  acceptRequest,
  type AlarmKind,
  type ChatState,
  closeAnswers,
  findAnswer,
  findRequest,
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
/** A probe without an answer is sent again after this time, as long as the socket is open. */
export const PROBE_MS = 5_000;
/** A turn that was announced and of which nothing has come is asked about again after this time. */
export const PENDING_MS = 60_000;

export function onOpened(state: ChatState): ChatState {
  return startProbe({ ...detach(state, isRunning), isOpen: true });
}

/** Asked for by a person. At most one probe waits for its answer. */
export function onResume(state: ChatState): ChatState {
  const next = { ...state, canResume: true };
  return state.isOpen && state.probe?.isAnswered === true ? startProbe(next) : next;
}

/** Everything the socket carried is over; what is known stays. */
export function onClosed(state: ChatState): ChatState {
  return {
    ...detach(state, isRunning),
    isOpen: false,
    probe: null,
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

function startProbe(state: ChatState): ChatState {
  const own = state.requests.filter(isInFlight).map((request) => request.id);
  const heard = state.answers.filter((answer) => state.wantsChunks && isRunning(answer));
  const requests = [...new Set([...own, ...heard.map((answer) => answer.requestId)])].slice(0, MAX_IN_FLIGHT);
  const probe = { id: `probe-${state.probeCount + 1}`, isAnswered: false, tries: 0, requests };
  return sendProbe({ ...state, probeCount: state.probeCount + 1 }, probe);
}

function sendProbe(state: ChatState, { tries, ...probe }: Probe): ChatState {
  const { id, requests } = probe;
  // Who asks is offered a stream and held back from it: what was acknowledged before has to be once more.
  const heldBack = detach(state, ({ phase }) => phase === "replaying");
  const asked = { ...heldBack, probe: { ...probe, tries: tries + 1 } };
  const own = requests.length > 0 ? { requests: [...requests] } : {};
  const question = { type: T.STREAM_RESUME_REQUEST, probeId: id, ...own };
  return setAlarm(sendFrame(asked, question), "probe", PROBE_MS);
}

/** The same question again under its id, so that a late answer counts; or a new one, when a turn was announced too long ago. */
export function onTimeout(state: ChatState, kind: AlarmKind, alarm: number): ChatState {
  const { probe, alarms, isOpen } = state;
  if (!isOpen || probe === null || alarms[kind] !== alarm) return state;
  if (!probe.isAnswered) return kind === "probe" ? sendProbe(state, probe) : state;
  return kind === "pending" && state.isWaiting ? startProbe(state) : state;
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
  const answered = onAnswer(state, frame, null);
  const waiting = setAlarm({ ...answered, isWaiting: true }, "pending", PENDING_MS);
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
  if (!state.isOpen || state.probe?.isAnswered !== true) return state;
  const sent = sendQueued(state.cancels.reduce(cancel, { ...state, cancels: [] }));
  return sent.answers.some((answer) => answer.phase === "detached") ? startProbe(sent) : sent;
}

/** One that never reached the server ends here and now. */
function cancel(state: ChatState, requestId: string): ChatState {
  if (findRequest(state, requestId)?.state !== "queued") {
    return sendFrame(state, { type: T.CHAT_REQUEST_CANCEL, id: requestId });
  }
  return endAborted(state, requestId, true);
}

function sendQueued(state: ChatState): ChatState {
  const room = MAX_IN_FLIGHT - state.requests.filter(isInFlight).length;
  const due = state.requests.filter((request) => request.state === "queued").slice(0, Math.max(room, 0));
  return due.reduce((next, request) => sendFrame(moveRequest(next, request.id, "send"), requestFrame(request)), state);
}
