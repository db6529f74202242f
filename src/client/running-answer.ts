/**
 * One answer that streams: where its chunks are folded, and how this socket is
 * attached to it.
 *
 *   detached ──resuming, ack──▶ replaying ──caught up──▶ live
 *       ▲                           │                      │
 *       └────────── socket lost ────┴────── gap in seq ────┘
 *
 * From each of them the end of the request leads to `ended` or to oblivion.
 *
 * Invariant: `fold` holds exactly the chunks 1…`seq` of the request, each once,
 * whether they came live, from a replay, or for somebody else's request.
 */
import type { UIMessage, UIMessageChunk } from "ai";
import type { FoldState } from "../shared/apply-chunk.ts";
import { applyChunk, emptyAssistant, startFold } from "../shared/apply-chunk.ts";
import type { ServerFrameOf } from "../shared/server-frames.ts";
import { withLaterToolStates } from "./tool-states.ts";
import type { Transcript } from "./transcript.ts";

export interface RunningAnswer {
  readonly requestId: string;
  readonly phase: "detached" | "replaying" | "live" | "ended";
  /** The last chunk that was folded; 0 before the first. */
  readonly seq: number;
  /** The last chunk that those who listen for chunks were told. */
  readonly toldSeq: number;
  /** Asked for by somebody else, and heard from its beginning: nothing that was resumed. */
  readonly isObserved: boolean;
  /** Null before the first chunk. */
  readonly fold: FoldState | null;
  /** Whether a chunk was folded since the server last told the transcript. */
  readonly isNews: boolean;
  /** The segment goes on with a message that the transcript already has. */
  readonly isContinuation: boolean;
  /** The message it stands behind; null at the end of whatever there is. */
  readonly behind: string | null;
  /** The transcript when this socket attached: what a continuation goes on with, without anything of its own. */
  readonly origin: Transcript;
}

export function startAnswer(
  requestId: string,
  phase: RunningAnswer["phase"],
  behind: string | null,
  origin: Transcript,
): RunningAnswer {
  const begun = { seq: 0, toldSeq: 0, fold: null, isNews: false, isContinuation: false, isObserved: false };
  return { ...begun, requestId, phase, behind, origin };
}

/**
 * Folds the chunk of a frame. One that was folded before changes nothing. A
 * replayed chunk may cover several seqs and counts only while replaying; a live
 * one must be the very next: before any other the answer comes loose, to be
 * attached to again. A chunk without a seq is taken as it comes.
 */
export function receiveChunk(
  answer: RunningAnswer,
  frame: ServerFrameOf<"cf_agent_use_chat_response">,
  chunk: UIMessageChunk,
): RunningAnswer {
  const { seq = answer.seq } = frame;
  const isReplay = frame.replay === true;
  const isKnown = frame.seq !== undefined && seq <= answer.seq;
  if (isKnown || (isReplay && answer.phase !== "replaying")) return answer;
  // On a connection that was there before, the rest of a replay that somebody else asked for may come first.
  if (isReplay && answer.fold === null && frame.seq !== undefined && chunk.type !== "start") return answer;
  if (!isReplay && seq > answer.seq + 1) return { ...answer, phase: "detached" };
  const isContinuation = answer.isContinuation || frame.continuation === true;
  const fold = applyChunk(answer.fold ?? beginFold(answer, isContinuation, chunk), chunk);
  return { ...answer, seq, toldSeq: Math.max(seq, answer.toldSeq), isNews: true, isContinuation, fold };
}

export function isRunning(answer: RunningAnswer): boolean {
  return answer.phase !== "ended";
}

/**
 * Goes back to before the first chunk: the server has lost what this client had
 * seen beyond `lastSeq`. With 0 it has lost the chunks themselves, and what comes
 * makes a whole message but goes on with nothing: who listens is told no more.
 */
export function foldAgain(answer: RunningAnswer, lastSeq: number | undefined): RunningAnswer {
  const toldSeq = lastSeq === 0 && answer.toldSeq > 0 ? Number.POSITIVE_INFINITY : answer.toldSeq;
  return { ...answer, seq: 0, toldSeq, fold: null };
}

/** Takes over tool states that the server applied to the message outside the stream. */
export function withUpdatedMessage(answer: RunningAnswer, message: UIMessage): RunningAnswer {
  if (answer.fold?.message.id !== message.id) return answer;
  const merged = withLaterToolStates(answer.fold.message, message);
  return merged === answer.fold.message ? answer : { ...answer, fold: answer.fold.withMessage(merged) };
}

function beginFold(answer: RunningAnswer, isContinuation: boolean, chunk: UIMessageChunk): FoldState {
  const id = (chunk.type === "start" ? chunk.messageId : undefined) ?? `answer-${answer.requestId}`;
  const known = isContinuation ? answer.origin.find((message) => message.id === id) : undefined;
  return startFold(known ?? emptyAssistant(id));
}
