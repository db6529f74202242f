/** The model server's end of a connection: what it hears of a stream, and how it is caught up. */
import type { UIMessage } from "ai";
import type { ResponseFrame, ServerFrame } from "../../shared/server-frames.ts";
import { CHAT_MESSAGE_TYPES as T } from "../../shared/wire-words.ts";
import type { FoldState } from "../../shared/apply-chunk.ts";
import { answeredBy, replayFrames, snapshotFrames, type Turn } from "./model-turn.ts";

export interface ServerSocket {
  send(frame: ServerFrame): void;
  /** Whether it announced the capability. */
  readonly hasDelta: boolean;
  session: Session;
}

/** `offered` and `catching-up` hear nothing of the stream; the next one they hear like everybody. */
export type Session =
  | { readonly kind: "live" }
  | { readonly kind: "waiting" }
  | { readonly kind: "offered" | "catching-up"; readonly requestId: string };

/** A replay under way: up to `seq` it has been sent. */
export interface Replay {
  readonly socket: ServerSocket;
  readonly turn: Turn;
  seq: number;
  /** Whether the stream ran when it was acknowledged. */
  readonly isRunning: boolean;
}

type Fold = Pick<FoldState, "message" | "open">;

/** Frames of storage in one step of a replay. */
const PAGE = 4;

export function hears({ session }: ServerSocket, requestId: string): boolean {
  return session.kind === "live" || session.kind === "waiting" || session.requestId !== requestId;
}

export function broadcast(
  sockets: Iterable<ServerSocket>,
  frame: ServerFrame,
  include: (socket: ServerSocket) => boolean = () => true,
): void {
  for (const socket of sockets) if (include(socket)) socket.send(frame);
}

/** Who waited is offered the stream, everybody else hears it. */
export function streamStarted(sockets: Iterable<ServerSocket>, turn: Turn): void {
  for (const socket of sockets) {
    const waited = socket.session.kind === "waiting";
    socket.session = { kind: "live" };
    if (waited) offered(socket, turn);
  }
}

/** Nothing runs or waits: who still waits is told so. */
export function release(sockets: Iterable<ServerSocket>): void {
  for (const socket of sockets) {
    if (socket.session.kind !== "waiting") continue;
    socket.session = { kind: "live" };
    socket.send({ type: T.STREAM_RESUME_NONE, reason: "idle" });
  }
}

/** Offers a stream. `lastSeq`: who has seen more begins again. */
export function offered(
  socket: ServerSocket,
  turn: Turn,
  echo: { probeId?: string; unknown?: string[] } = {},
  lastSeq = turn.stream?.sent.length ?? 0,
): void {
  const behind = answeredBy(turn);
  socket.session = { kind: "offered", requestId: turn.requestId };
  socket.send({
    type: T.STREAM_RESUMING,
    id: turn.requestId,
    lastSeq,
    ...(behind === null ? {} : { behind }),
    ...(turn.isContinuation ? { continuation: true } : {}),
    ...echo,
  });
}

export function caughtUp(socket: ServerSocket, { requestId }: Turn): void {
  const { session } = socket;
  if (session.kind === "catching-up" && session.requestId === requestId) socket.session = { kind: "live" };
}

/**
 * One step of a replay: a page of what storage has, or the rest from memory and
 * the end of the replay. Says whether more is to come. `running` is the turn
 * that streams now, `answer` the message as it is stored.
 */
export function replayStep(replay: Replay, running: Turn | null, answer: UIMessage | undefined): boolean {
  const { turn, isRunning, seq } = replay;
  const stream = turn.stream ?? { sent: [], stored: 0, isLost: false, outcome: "completed", fold: null };
  const fold = isRunning ? stream.fold : answer && { message: answer, open: new Map<string, number>() };
  if (isRunning && seq >= stream.stored) return finish(replay, running, replayFrames(turn, stream.sent, seq));
  const kept = stream.isLost ? [] : stream.sent.slice(0, stream.stored);
  const page = replayFrames(turn, kept, seq);
  const isWhole = isRunning ? page.length > 0 : stream.outcome !== null && !stream.isLost;
  if (!isWhole && fold) return endOfLost(replay, running, fold, stream.sent.length);
  if (!isRunning && page.length <= PAGE) return finish(replay, running, page);
  send(replay, page.slice(0, PAGE));
  return true;
}

/** Storage has lost chunks: who has nothing gets the message as it is, who has a part begins again or is told the end. */
function endOfLost(replay: Replay, running: Turn | null, fold: Fold, lastSeq: number): false {
  const { socket, turn, isRunning } = replay;
  const isFresh = replay.seq === 0;
  finish(replay, running, isFresh ? snapshotFrames(turn, fold, isRunning ? lastSeq : 0) : []);
  if (isRunning && !isFresh && running === turn) offered(socket, turn, {}, 0);
  return false;
}

function finish(replay: Replay, running: Turn | null, frames: readonly ResponseFrame[]): false {
  const { socket, turn, isRunning } = replay;
  send(replay, frames);
  caughtUp(socket, turn);
  const { requestId: id, ending } = turn;
  const complete = {
    type: T.USE_CHAT_RESPONSE,
    id,
    body: "",
    done: false,
    replay: true,
    replayComplete: true,
  } as const;
  if (isRunning && running === turn) socket.send(complete);
  else if (ending !== null) socket.send(isRunning ? ending : { ...ending, replay: true });
  return false;
}

function send(replay: Replay, frames: readonly ResponseFrame[]): void {
  for (const frame of frames) {
    replay.socket.send(frame);
    replay.seq = frame.seq ?? replay.seq;
  }
}
