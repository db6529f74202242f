/**
 * The server's side of the chat protocol, in memory and one step at a time: a
 * transcript, a queue of turns, one that runs, and sockets. It answers each
 * frame at once; `advance` moves the running turn by one chunk.
 */
import type { UIMessage, UIMessageChunk } from "ai";
import { applyChunk, emptyAssistant, type FoldState, startFold } from "../../shared/apply-chunk.ts";
import type { ResponseFrame, ServerFrame } from "../../shared/server-frames.ts";
import type { ClientFrame, ClientFrameOf } from "../../shared/wire.ts";
import { CHAT_MESSAGE_TYPES as T } from "../../shared/wire-words.ts";
import type { MessagePage } from "../address.ts";
import { chunkFrame, planOf, replayFrames, responseOf } from "./model-frames.ts";

/** One end of a connection, as the server holds it. */
export interface ServerSocket {
  send(frame: ServerFrame): void;
  /** The stream it must not get chunks of before it acknowledges. */
  excludedFrom: string | null;
  /** Probes that were answered with `pending`. */
  parked: string | null;
}

interface Turn {
  readonly requestId: string;
  readonly userIds: readonly string[];
  readonly behind: string;
  readonly messageId: string;
  readonly isContinuation: boolean;
  /** Whether its user messages came with it, and go when it is cancelled before it starts. */
  readonly bringsMessages: boolean;
  readonly plan: UIMessageChunk[];
  readonly sent: UIMessageChunk[];
  fold: FoldState;
  stored: number;
}

export class ModelServer {
  transcript: UIMessage[] = [];
  readonly sockets = new Set<ServerSocket>();
  readonly queue: Turn[] = [];
  readonly terminals = new Map<string, ResponseFrame>();
  readonly chunksOf = new Map<string, { chunks: UIMessageChunk[]; isContinuation: boolean }>();
  readonly known = new Set<string>();
  readonly pageSize = 4;
  running: Turn | null = null;
  #count = 0;

  connect(socket: ServerSocket): void {
    this.sockets.add(socket);
    if (this.running) this.#offer(socket, this.running);
    socket.send({ type: T.CHAT_MESSAGES, ...this.page(), connect: true });
  }

  page(before?: string, limit = this.pageSize): MessagePage {
    const end = before === undefined ? this.transcript.length : this.transcript.findIndex(({ id }) => id === before);
    const start = Math.max(0, end - limit);
    return { messages: this.transcript.slice(start, Math.max(end, 0)), hasMore: start > 0 };
  }

  receive(socket: ServerSocket, frame: ClientFrame): void {
    switch (frame.type) {
      case T.USE_CHAT_REQUEST:
        return this.#admit(socket, frame);
      case T.STREAM_RESUME_REQUEST:
        return this.#answerProbe(socket, frame);
      case T.STREAM_RESUME_ACK:
        return this.#replay(socket, frame.id, frame.after ?? 0);
      case T.CHAT_REQUEST_CANCEL:
        return this.cancel(frame.id);
      case T.CHAT_CLEAR:
        return this.clear();
      default:
    }
  }

  has(messageId: string): boolean {
    return this.running?.messageId === messageId || this.transcript.some(({ id }) => id === messageId);
  }

  get isIdle(): boolean {
    return this.running === null && this.queue.length === 0;
  }

  /** Starts the next turn, or moves the running one by one chunk, or ends it. */
  advance(): void {
    if (this.running === null) return this.#start(this.queue.shift());
    const chunk = this.running.plan.shift();
    if (chunk === undefined) return this.#end("completed");
    this.#emit(this.running, chunk);
  }

  /** Makes everything streamed so far survive a crash. */
  store(): void {
    if (this.running) this.running.stored = this.running.sent.length;
  }

  fail(): void {
    if (this.running) this.#end("error");
  }

  /** The process dies: sockets are gone, chunks beyond storage too; the turn goes on as a new segment of its message. */
  crash(): void {
    this.sockets.clear();
    const turn = this.running;
    if (turn === null) return;
    const kept = turn.sent.slice(0, turn.stored);
    const base = this.#baseOf(turn);
    const fold = kept.reduce(applyChunk, startFold(base));
    this.running = { ...turn, fold, sent: kept };
    this.#end("recovering");
    const requestId = `${turn.requestId}+`;
    const message = fold.message.parts.length > 0 ? fold.message : base;
    const rest = [{ type: "start" as const, messageId: turn.messageId }, ...planOf(this.#count++)];
    const fresh = { plan: rest, sent: [], stored: 0, fold: startFold(message) };
    this.known.add(requestId);
    this.queue.unshift({ ...turn, requestId, isContinuation: true, bringsMessages: false, ...fresh });
  }

  clear(): void {
    for (const turn of [...(this.running ? [this.running] : []), ...this.queue.splice(0)]) {
      this.running = null;
      this.#terminate(turn, { body: "", outcome: "aborted" });
    }
    this.transcript = [];
    for (const records of [this.terminals, this.chunksOf, this.known]) records.clear();
    this.#broadcast({ type: T.CHAT_CLEAR });
    this.#release();
  }

  cancel(requestId: string): void {
    if (this.running?.requestId === requestId) return this.#end("aborted");
    const at = this.queue.findIndex((turn) => turn.requestId === requestId);
    const [turn] = at === -1 ? [] : this.queue.splice(at, 1);
    if (turn === undefined) return;
    if (turn.bringsMessages) this.#remove(turn.userIds);
    this.#terminate(turn, { body: "", outcome: "aborted" });
    if (this.isIdle) this.#release();
  }

  #remove(ids: readonly string[]): void {
    const at = this.transcript.findIndex((message) => ids.includes(message.id));
    if (at === -1) return;
    this.transcript = this.transcript.filter((message) => !ids.includes(message.id));
    this.#tail(this.transcript[at - 1]?.id ?? null);
  }

  #admit(socket: ServerSocket, frame: ClientFrameOf<typeof T.USE_CHAT_REQUEST>): void {
    const terminal = this.terminals.get(frame.id);
    if (terminal) return socket.send(terminal);
    if (this.known.has(frame.id)) return;
    this.known.add(frame.id);
    const body = JSON.parse(frame.init.body) as { messages: UIMessage[]; trigger: string; messageId?: string };
    const isRefused = JSON.stringify(body.messages).includes("refuse");
    if (isRefused) return this.#refuse(frame.id);
    if (body.trigger === "regenerate-message") return this.#regenerate(frame.id, body.messageId ?? "");
    const after = this.transcript.at(-1)?.id ?? null;
    this.transcript = [...this.transcript, ...body.messages];
    this.#tail(after);
    const ids = body.messages.map(({ id }) => id);
    this.queue.push(this.#turnOf(frame.id, ids, ids.at(-1) ?? ""));
  }

  #refuse(id: string): void {
    const frame: ResponseFrame = { ...responseOf(id), body: "No.", done: true, error: true, outcome: "error" };
    this.terminals.set(id, { ...frame, code: "forbidden", retryable: false, messageIds: [] });
    this.#broadcast(this.terminals.get(id) ?? frame);
  }

  #regenerate(requestId: string, userId: string): void {
    const turn = { ...this.#turnOf(requestId, [userId], userId), bringsMessages: false };
    const at = this.transcript.findIndex(({ id }) => id === userId);
    if (at === -1 || !this.isIdle) {
      return this.#terminate(turn, {
        body: "Not now.",
        error: true,
        outcome: "error",
        code: "conflict",
        retryable: true,
      });
    }
    this.transcript = this.transcript.slice(0, at + 1);
    this.#tail(userId);
    this.queue.push(turn);
  }

  #turnOf(requestId: string, userIds: string[], behind: string): Turn {
    const messageId = `a-${requestId}`;
    const plan: UIMessageChunk[] = [{ type: "start", messageId }, ...planOf(this.#count++)];
    const fresh = { plan, sent: [], fold: startFold(emptyAssistant(messageId)), stored: 0 };
    return { requestId, userIds, behind, messageId, isContinuation: false, bringsMessages: true, ...fresh };
  }

  #start(turn: Turn | undefined): void {
    if (turn === undefined) return;
    this.running = turn;
    this.chunksOf.set(turn.requestId, { chunks: turn.sent, isContinuation: turn.isContinuation });
    for (const socket of this.sockets) if (socket.parked !== null) this.#offer(socket, turn, socket.parked);
  }

  #emit(turn: Turn, chunk: UIMessageChunk): void {
    turn.sent.push(chunk);
    turn.fold = applyChunk(turn.fold, chunk);
    for (const socket of this.sockets) {
      if (socket.excludedFrom !== turn.requestId) socket.send(chunkFrame(turn, chunk, turn.sent.length));
    }
  }

  #end(outcome: "completed" | "aborted" | "error" | "recovering"): void {
    const turn = this.running;
    if (turn === null) return;
    this.running = null;
    if (turn.fold.message.parts.length > 0) this.#commit(turn);
    const failure = { body: "It broke.", error: true, code: "model_error" as const, retryable: true };
    this.#terminate(turn, outcome === "error" ? { ...failure, outcome } : { body: "", outcome });
    if (this.queue.length === 0) this.#release();
  }

  #commit(turn: Turn): void {
    const at = this.transcript.findIndex(({ id }) => id === turn.messageId);
    const behind = this.transcript.findIndex(({ id }) => id === turn.behind);
    const place = at === -1 ? behind + 1 : at;
    this.transcript = this.transcript.toSpliced(place, at === -1 ? 0 : 1, turn.fold.message);
    this.#tail(this.transcript[place - 1]?.id ?? null);
  }

  #terminate(turn: Turn, end: Partial<ResponseFrame>): void {
    const frame = { ...responseOf(turn.requestId), ...end, done: true, messageIds: [...turn.userIds] };
    this.terminals.set(turn.requestId, frame);
    for (const socket of this.sockets) {
      if (socket.excludedFrom === turn.requestId) socket.excludedFrom = null;
      socket.send(frame);
    }
  }

  #answerProbe(socket: ServerSocket, frame: ClientFrameOf<typeof T.STREAM_RESUME_REQUEST>): void {
    const { probeId = "", requests = [] } = frame;
    const unknown = requests.filter((id) => !this.known.has(id));
    for (const id of requests) {
      const terminal = this.terminals.get(id);
      if (terminal) socket.send(terminal);
    }
    const told = unknown.length > 0 ? { unknown } : {};
    if (this.running) return this.#offer(socket, this.running, probeId, unknown);
    if (this.isIdle) return socket.send({ type: T.STREAM_RESUME_NONE, reason: "idle", probeId, ...told });
    socket.parked = probeId;
    const next = this.queue[0]?.requestId;
    socket.send({ type: T.STREAM_PENDING, probeId, ...(next === undefined ? {} : { id: next }), ...told });
  }

  #offer(socket: ServerSocket, turn: Turn, probeId?: string, unknown: string[] = []): void {
    socket.excludedFrom = turn.requestId;
    socket.parked = null;
    const told = { ...(probeId === undefined ? {} : { probeId }), ...(unknown.length > 0 ? { unknown } : {}) };
    const continuation = turn.isContinuation ? { continuation: true } : {};
    socket.send({ type: T.STREAM_RESUMING, id: turn.requestId, lastSeq: turn.sent.length, ...continuation, ...told });
  }

  #replay(socket: ServerSocket, id: string, after: number): void {
    const stream = this.chunksOf.get(id);
    if (stream === undefined) return;
    for (const frame of replayFrames(id, stream, after)) socket.send(frame);
    const terminal = this.terminals.get(id);
    socket.send(terminal ?? { ...responseOf(id), replay: true, replayComplete: true });
    if (socket.excludedFrom === id) socket.excludedFrom = null;
  }

  #release(): void {
    for (const socket of this.sockets) {
      if (socket.parked !== null) socket.send({ type: T.STREAM_RESUME_NONE, reason: "idle", probeId: socket.parked });
      socket.parked = null;
    }
  }

  #tail(after: string | null): void {
    const at = after === null ? 0 : this.transcript.findIndex(({ id }) => id === after) + 1;
    this.#broadcast({ type: T.CHAT_TAIL, after, messages: this.transcript.slice(at) });
  }

  #broadcast(frame: ServerFrame): void {
    for (const socket of this.sockets) socket.send(frame);
  }

  #baseOf(turn: Turn): UIMessage {
    const stored = this.transcript.find(({ id }) => id === turn.messageId);
    return turn.isContinuation && stored ? stored : emptyAssistant(turn.messageId);
  }
}
