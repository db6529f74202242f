/**
 * The server's side of the chat protocol, in memory and one step at a time, as
 * PROTOCOL.md has it: a transcript, turns in line, one that runs, sockets. It
 * answers each frame at once; `advance` moves the running turn by one step, and
 * `replay` the replays that acknowledgements have begun.
 */
import type { UIMessage } from "ai";
import { closeOpenParts, emptyAssistant, hasRenderableParts } from "../../shared/apply-chunk.ts";
import { type ClientFrame, type ClientFrameOf, CHAT_MESSAGE_TYPES as T, type ServerFrame } from "../../shared/wire.ts";
import type { MessagePage } from "../address.ts";
import { caughtUp, hears, offered, type Replay, replayStep, type ServerSocket } from "./model-socket.ts";
import { ModelTranscript } from "./model-transcript.ts";
import * as turns from "./model-turn.ts";
import type { Outcome, Turn } from "./model-turn.ts";

export interface ModelOptions {
  /** Begins the ids of answers. */
  readonly name: string;
  /** Messages in the first page of a client with `delta`. */
  readonly pageSize: number;
  /** Messages that stay stored. */
  readonly keeps: number;
  /** Messages in the window. */
  readonly windowSize: number;
  /** Most turns that wait. */
  readonly line: number;
  /** Whether a turn that was cut goes on in another segment instead of ending as interrupted. */
  readonly isRecovering: boolean;
}

const CUT_TOOL = "The answer ended before the tool did.";

export class ModelServer {
  readonly options: ModelOptions;
  readonly sockets = new Set<ServerSocket>();
  /** How many turns there have been under each request id; a clear gives ids free. */
  readonly turnsUnder = new Map<string, number>();
  readonly #transcript: ModelTranscript;
  /** All turns since the last clear, in the order they were admitted. */
  readonly #turns: Turn[] = [];
  readonly #replays: Replay[] = [];
  #current: Turn | null = null;
  #count = 0;

  constructor(options: ModelOptions) {
    this.options = options;
    this.#transcript = new ModelTranscript(options.windowSize);
  }

  /** What everybody is to see, oldest first. */
  get transcript(): UIMessage[] {
    return [...this.#transcript.path(), ...this.#waiting()];
  }

  get isIdle(): boolean {
    return this.#open().length === 0;
  }

  get isReplaying(): boolean {
    return this.#replays.length > 0;
  }

  /** The message that is being written. */
  get writes(): string | null {
    return this.#current?.messageId ?? null;
  }

  /** The message that the turn of a request writes. */
  messageOf(requestId: string): string | undefined {
    return this.#byRequest(requestId)?.messageId;
  }

  has(messageId: string): boolean {
    return this.writes === messageId || this.transcript.some(({ id }) => id === messageId);
  }

  connect(socket: ServerSocket): void {
    this.sockets.add(socket);
    const running = this.#streaming();
    if (running !== null) offered(socket, running);
    socket.send({ type: T.CHAT_MESSAGES, connect: true, ...this.#listFor(socket) });
  }

  disconnect(socket: ServerSocket): void {
    this.sockets.delete(socket);
  }

  /** A page of messages as HTTP gives it; null for 404. */
  page(before: string | undefined, limit: number): MessagePage | null {
    if (before !== undefined) return this.#transcript.before(before, limit);
    const page = this.#transcript.newest(limit);
    return { ...page, messages: [...page.messages, ...this.#waiting()] };
  }

  receive(socket: ServerSocket, frame: ClientFrame): void {
    switch (frame.type) {
      case T.USE_CHAT_REQUEST:
        return this.#admit(socket, frame);
      case T.STREAM_RESUME_REQUEST:
        return this.#answerProbe(socket, frame);
      case T.STREAM_RESUME_ACK:
        return this.#beginReplay(socket, frame);
      case T.CHAT_REQUEST_CANCEL:
        return this.#cancel(frame.id);
      case T.CHAT_CLEAR:
        return this.#clear();
      case T.CHAT_MESSAGES:
        return socket.send({ type: T.CHAT_MESSAGES, connect: true, ...this.#listFor(socket) });
      case T.TOOL_RESULT:
      case T.TOOL_APPROVAL: {
        const { toolCallId } = frame;
        return socket.send({ type: T.CHAT_ERROR, code: "no_pending_call", message: "No such call.", toolCallId });
      }
    }
  }

  /** Begins the next turn, opens its stream, moves it by one chunk, ends its stream, or ends it. */
  advance(): void {
    const turn = (this.#current ??= this.#begin(this.#open()[0]));
    if (turn === null) return;
    if (turn.state === "found") return this.#settleFound(turn);
    if (turn.stream === null) return this.#openStream(turn);
    const { outcome } = turn.stream;
    if (outcome !== null) return this.#settle(turn, turn.stream.fold.message, outcome);
    const chunk = turn.plan.shift();
    if (chunk === undefined) return this.#endStream("completed");
    const frame = turns.emit(turn, turn.stream, chunk);
    for (const socket of this.sockets) if (hears(socket, turn.requestId)) socket.send(frame);
  }

  /** Moves one replay. */
  replay(): void {
    const replay = this.#replays.shift();
    if (replay === undefined) return;
    if (!this.#turns.includes(replay.turn)) return caughtUp(replay.socket, replay.turn);
    const answer = this.#transcript.find(replay.turn.messageId);
    if (replayStep(replay, this.#streaming(), answer)) this.#replays.push(replay);
  }

  /** Makes everything streamed so far survive a crash. */
  store(): void {
    const stream = this.#current?.stream;
    if (stream) stream.stored = stream.sent.length;
  }

  /** Storage loses everything of the streams that it had. */
  loseChunks(): void {
    for (const { stream } of this.#turns) if (stream !== null && stream.stored > 0) stream.isLost = true;
  }

  fail(): void {
    this.#endStream("error");
  }

  /** The process dies: sockets are gone, and what was not stored. */
  crash(): void {
    this.sockets.clear();
    this.#replays.length = 0;
    this.#transcript.reload();
    this.#current = null;
    for (const turn of this.#open()) if (turn.state === "running") turn.state = "found";
  }

  #open(): Turn[] {
    return this.#turns.filter((turn) => turn.ending === null);
  }

  #byRequest(id: string): Turn | undefined {
    return this.#turns.find((turn) => turn.requestId === id);
  }

  #streaming(): Turn | null {
    return this.#current?.stream && this.#current.state === "running" ? this.#current : null;
  }

  #waiting(): UIMessage[] {
    return this.#open().flatMap((turn) => (turn.state === "queued" ? turn.input : []));
  }

  #listFor({ hasDelta }: ServerSocket): { messages: UIMessage[]; hasMore?: boolean } {
    return (hasDelta ? this.page(undefined, this.options.pageSize) : null) ?? { messages: this.transcript };
  }

  #admit(socket: ServerSocket, frame: ClientFrameOf<typeof T.USE_CHAT_REQUEST>): void {
    const known = this.#byRequest(frame.id);
    if (known !== undefined) return known.ending === null ? undefined : socket.send(known.ending);
    const { messages, trigger } = JSON.parse(frame.init.body) as { messages: UIMessage[]; trigger: string };
    if (JSON.stringify(messages).includes("refuse")) return socket.send(turns.refusalOf(frame.id, "forbidden"));
    if (this.#waitingCount() >= this.options.line) return socket.send(turns.refusalOf(frame.id, "limit"));
    const input = messages.filter(({ id }) => !this.#isTaken(id));
    if (input.length > 0) return this.#place(frame.id, input, null);
    const last = messages.at(-1)?.id ?? "";
    const isUnanswered = this.#transcript.path().at(-1)?.id === last && this.isIdle;
    if (trigger === "regenerate-message" || isUnanswered) {
      const isThere = this.#transcript.find(last) !== undefined;
      return isThere ? this.#place(frame.id, [], last) : socket.send(turns.refusalOf(frame.id, "not_found"));
    }
    socket.send(turns.terminalOf(frame.id, "skipped", []));
  }

  #waitingCount(): number {
    return this.#open().filter((turn) => turn !== this.#current).length;
  }

  #isTaken(id: string): boolean {
    return this.#transcript.find(id) !== undefined || this.#waiting().some((message) => message.id === id);
  }

  #place(requestId: string, input: UIMessage[], answers: string | null): void {
    const messageId = `${this.options.name}-answer-${++this.#count}`;
    const after = this.#waiting().at(-1)?.id ?? this.#transcript.window().at(-1)?.id ?? null;
    const isNext = this.isIdle;
    const turn = turns.newTurn({ requestId, messageId, input, answers }, turns.planOf(messageId, this.#count));
    this.#turns.push(turn);
    this.turnsUnder.set(requestId, (this.turnsUnder.get(requestId) ?? 0) + 1);
    if (isNext) this.#storeInput(turn);
    if (input.length > 0) this.#tail(after, input);
    if (isNext) this.#current = this.#begin(turn);
  }

  #storeInput(turn: Turn): void {
    turn.state = "running";
    for (const message of turn.input) this.#transcript.append(message);
  }

  #begin(turn: Turn | undefined): Turn | null {
    if (turn === undefined) return null;
    const { answers } = turn;
    if (answers !== null && this.#transcript.find(answers) === undefined) {
      this.#settle(turn, null, "error");
      return null;
    }
    if (turn.state === "queued") this.#storeInput(turn);
    if (answers !== null && answers !== this.#transcript.head && !turn.isContinuation) {
      this.#transcript.show(answers);
      this.#tail(answers, this.#waiting());
    }
    return turn;
  }

  #openStream(turn: Turn): void {
    const base = turn.isContinuation ? this.#transcript.find(turn.messageId) : undefined;
    turn.stream = turns.newStream(base ?? emptyAssistant(turn.messageId));
    for (const socket of this.sockets) {
      const waited = socket.session.kind === "waiting";
      socket.session = { kind: "live" };
      if (waited) offered(socket, turn);
    }
  }

  #endStream(outcome: "completed" | "error" | "aborted"): void {
    const turn = this.#current;
    if (!turn?.stream || turn.stream.outcome !== null) return;
    turn.stream.outcome = outcome;
    this.store();
  }

  /** A restart has found the turn: its answer is whole in storage, or it was cut. */
  #settleFound(turn: Turn): void {
    const { stream } = turn;
    const base = turn.isContinuation ? this.#transcript.find(turn.messageId) : undefined;
    const { message } = turns.storedFold(turn, base);
    const isWhole = stream?.outcome === "completed" && !stream.isLost;
    turn.stream = null;
    if (isWhole) return this.#settle(turn, message, "completed", stream);
    if (!this.options.isRecovering) return this.#settle(turn, message, "interrupted", stream);
    const next = { ...turn, requestId: `${turn.requestId}+`, isContinuation: true, stream: null, input: [] };
    this.#turns.splice(this.#turns.indexOf(turn) + 1, 0, {
      ...next,
      answers: turns.answeredBy(turn),
      plan: turns.planOf(turn.messageId, ++this.#count),
      state: "queued",
    });
    this.#settle(turn, message, "recovering", stream);
  }

  /** The commit: the answer and the ending, then everybody is told. */
  #settle(turn: Turn, answer: UIMessage | null, outcome: Outcome, stream = turn.stream): void {
    const hasAnswer = answer !== null && hasRenderableParts(answer);
    if (hasAnswer) this.#commit(outcome === "completed" ? answer : closeOpenParts(answer, CUT_TOOL), outcome);
    const isTrimmed = this.#transcript.trim(this.options.keeps);
    if (isTrimmed || !hasAnswer) this.#transcript.reload();
    const heard = turn.stream === null ? null : turn.requestId;
    const note = outcome === "completed" && !hasAnswer ? "No response was generated." : "";
    turn.stream = stream;
    this.#current = null;
    this.#announce(turn, turns.terminalOf(turn.requestId, outcome, turns.inputIds(turn), note), heard);
  }

  #commit(answer: UIMessage, outcome: Outcome): void {
    const marked = { ...answer, ...turns.markOf(outcome) };
    if (this.#transcript.find(answer.id) === undefined) this.#transcript.append(marked);
    else this.#transcript.update(marked);
  }

  #announce(turn: Turn, ending: turns.ResponseFrame, heard: string | null): void {
    turn.ending = ending;
    const window = this.#transcript.window();
    const answered = window.findIndex(({ id }) => id === turns.answeredBy(turn));
    const isOlder = answered === -1 && turn.answers !== null;
    const at = isOlder ? 0 : answered === -1 ? window.length - 1 : answered;
    const first = this.#transcript.isPartial ? undefined : window[0]?.id;
    this.#tail(window[at]?.id ?? null, [...window.slice(at + 1), ...this.#waiting()], first);
    for (const socket of this.sockets) if (heard === null || hears(socket, heard)) socket.send(ending);
    if (this.isIdle) this.#release();
  }

  #cancel(requestId: string): void {
    if (this.#current?.requestId === requestId) return this.#abort(this.#current);
    const turn = this.#byRequest(requestId);
    if (turn === undefined || turn.ending !== null || turn.state !== "queued") return;
    this.#announce(turn, turns.terminalOf(requestId, "aborted", turns.inputIds(turn)), null);
  }

  /** One that has no stream yet opens it and ends without a word. */
  #abort(turn: Turn): void {
    if (turn.state !== "running") return;
    if (turn.stream === null) this.#openStream(turn);
    this.#endStream("aborted");
  }

  #clear(): void {
    const open = this.#open();
    this.#current = null;
    this.#turns.length = 0;
    this.#transcript.clear();
    for (const turn of open) {
      const outcome = turn.state === "queued" ? "skipped" : "aborted";
      this.#broadcast(turns.terminalOf(turn.requestId, outcome, turns.inputIds(turn)));
    }
    this.#release();
    this.#broadcast({ type: T.CHAT_CLEAR });
  }

  #answerProbe(socket: ServerSocket, { probeId, requests = [] }: ClientFrameOf<typeof T.STREAM_RESUME_REQUEST>): void {
    for (const id of requests) {
      const ending = this.#byRequest(id)?.ending;
      if (ending) socket.send(ending);
    }
    const unknown = requests.filter((id) => this.#byRequest(id) === undefined);
    const echo = { ...(probeId === undefined ? {} : { probeId }), ...(unknown.length > 0 ? { unknown } : {}) };
    const running = this.#streaming();
    if (running !== null) return offered(socket, running, echo);
    const next = this.#open()[0];
    if (next === undefined) return socket.send({ type: T.STREAM_RESUME_NONE, reason: "idle", ...echo });
    socket.session = { kind: "waiting" };
    socket.send({ type: T.STREAM_PENDING, id: next.requestId, ...echo });
  }

  #beginReplay(socket: ServerSocket, { id, after = 0 }: ClientFrameOf<typeof T.STREAM_RESUME_ACK>): void {
    const turn = this.#byRequest(id);
    if (turn === undefined) return;
    const isRunning = turn === this.#streaming();
    const { session } = socket;
    if (isRunning ? session.kind !== "offered" || session.requestId !== id : turn.ending === null) return;
    if (isRunning) socket.session = { kind: "catching-up", requestId: id };
    this.#replays.push({ socket, turn, seq: after, isRunning });
  }

  #release(): void {
    for (const socket of this.sockets) {
      if (socket.session.kind !== "waiting") continue;
      socket.session = { kind: "live" };
      socket.send({ type: T.STREAM_RESUME_NONE, reason: "idle" });
    }
  }

  #tail(after: string | null, messages: UIMessage[], first?: string): void {
    const tail: ServerFrame = { type: T.CHAT_TAIL, after, messages, ...(first === undefined ? {} : { first }) };
    for (const socket of this.sockets) {
      socket.send(socket.hasDelta ? tail : { type: T.CHAT_MESSAGES, messages: this.transcript });
    }
  }

  #broadcast(frame: ServerFrame): void {
    for (const socket of this.sockets) socket.send(frame);
  }
}
