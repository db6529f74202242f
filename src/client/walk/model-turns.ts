/** The turns of the model server, from their place in line to their ending, and what everybody is told of them. */
import type { UIMessage } from "ai";
import { closeOpenParts, emptyAssistant, hasRenderableParts } from "../../shared/apply-chunk.ts";
import type { ResponseFrame, ServerFrame } from "../../shared/server-frames.ts";
import { CHAT_MESSAGE_TYPES as T } from "../../shared/wire-words.ts";
import type { ModelOptions } from "./model-options.ts";
import { broadcast, hears, release, type ServerSocket, streamStarted } from "./model-socket.ts";
import { ModelTranscript } from "./model-transcript.ts";
import type { Outcome, Turn } from "./model-turn.ts";
import * as turnOf from "./model-turn.ts";

const CUT_TOOL = "The answer ended before the tool did.";

export class ModelTurns {
  readonly transcript: ModelTranscript;
  /** How many turns there have been under each request id; a clear gives ids free. */
  readonly countUnder = new Map<string, number>();
  /** What the model has said of each message, in all. */
  readonly said = new Map<string, string>();
  readonly #options: ModelOptions;
  readonly #sockets: ReadonlySet<ServerSocket>;
  /** All since the last clear, in the order they were admitted. */
  readonly #turns: Turn[] = [];
  #current: Turn | null = null;
  #count = 0;

  constructor(options: ModelOptions, sockets: ReadonlySet<ServerSocket>) {
    this.#options = options;
    this.#sockets = sockets;
    this.transcript = new ModelTranscript(options.windowSize);
  }

  /** What everybody is to see, oldest first. */
  listed(): UIMessage[] {
    return [...this.transcript.path(), ...this.waiting()];
  }

  get current(): Turn | null {
    return this.#current;
  }

  get isIdle(): boolean {
    return this.open().length === 0;
  }

  get lineLength(): number {
    return this.open().filter((turn) => turn !== this.#current).length;
  }

  open(): Turn[] {
    return this.#turns.filter((turn) => turn.ending === null && turn.state !== "damaged");
  }

  byRequest(id: string): Turn | undefined {
    return this.#turns.find((turn) => turn.requestId === id);
  }

  /** The turn whose stream runs. */
  streaming(): Turn | null {
    return this.#current?.stream && this.#current.state === "running" ? this.#current : null;
  }

  /** Messages of turns that have not started. */
  waiting(): UIMessage[] {
    return this.open().flatMap((turn) => (turn.state === "queued" ? turn.input : []));
  }

  isTaken(messageId: string): boolean {
    return this.transcript.find(messageId) !== undefined || this.waiting().some(({ id }) => id === messageId);
  }

  place(requestId: string, input: UIMessage[], answers: string | null): void {
    const messageId = `${this.#options.name}-answer-${++this.#count}`;
    const after = this.waiting().at(-1)?.id ?? this.transcript.window().at(-1)?.id ?? null;
    const isNext = this.isIdle;
    const turn = turnOf.newTurn({ requestId, messageId, input, answers }, turnOf.planOf(messageId, this.#count));
    this.#turns.push(turn);
    this.countUnder.set(requestId, (this.countUnder.get(requestId) ?? 0) + 1);
    if (isNext) this.#storeInput(turn);
    if (input.length > 0) this.#tail(after, input);
    if (isNext) this.#current = this.#begin(turn);
  }

  /** Begins the next turn, opens its stream, moves it by one chunk, ends its stream, or ends it. */
  advance(): void {
    const turn = (this.#current ??= this.#begin(this.open()[0]));
    if (turn === null) return;
    if (turn.state === "found") return this.#settleFound(turn);
    if (turn.stream === null) return this.#openStream(turn);
    const { outcome } = turn.stream;
    if (outcome !== null) return this.#settle(turn, turn.stream.fold.message, outcome);
    const chunk = turn.plan.shift();
    if (chunk === undefined) return this.#endStream("completed");
    const said = this.said.get(turn.messageId) ?? "";
    if (chunk.type === "text-delta") this.said.set(turn.messageId, said + chunk.delta);
    broadcast(this.#sockets, turnOf.emit(turn, turn.stream, chunk), (socket) => hears(socket, turn.requestId));
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

  get isDamaged(): boolean {
    return this.#turns.some((turn) => turn.state === "damaged");
  }

  /** The record of the last turn that ended cannot be read any more. */
  damage(): void {
    const turn = this.#turns.findLast(({ ending }) => ending !== null);
    if (turn === undefined) return;
    turn.state = "damaged";
    turn.ending = null;
  }

  fail(): void {
    this.#endStream("error");
  }

  cancel(requestId: string): void {
    if (this.#current?.requestId === requestId) return this.#abort(this.#current);
    const turn = this.byRequest(requestId);
    if (turn === undefined || turn.ending !== null || turn.state !== "queued") return;
    this.#announce(turn, turnOf.terminalOf(requestId, "aborted", turnOf.inputIds(turn)), null);
  }

  clear(): void {
    const open = this.open();
    this.#current = null;
    this.#turns.length = 0;
    this.transcript.clear();
    for (const turn of open) {
      const outcome = turn.state === "queued" ? "skipped" : "aborted";
      broadcast(this.#sockets, turnOf.terminalOf(turn.requestId, outcome, turnOf.inputIds(turn)));
    }
    release(this.#sockets);
    broadcast(this.#sockets, { type: T.CHAT_CLEAR });
  }

  crash(): void {
    this.transcript.reload();
    this.#current = null;
    for (const turn of this.open()) if (turn.state === "running") turn.state = "found";
  }

  #storeInput(turn: Turn): void {
    turn.state = "running";
    for (const message of turn.input) this.transcript.append(message);
  }

  #begin(turn: Turn | undefined): Turn | null {
    if (turn === undefined) return null;
    const { answers } = turn;
    if (answers !== null && this.transcript.find(answers) === undefined) {
      this.#settle(turn, null, "error");
      return null;
    }
    if (turn.state === "queued") this.#storeInput(turn);
    if (answers !== null && answers !== this.transcript.head && !turn.isContinuation) {
      this.transcript.show(answers);
      this.#tail(answers, this.waiting());
    }
    return turn;
  }

  #openStream(turn: Turn): void {
    const base = turn.isContinuation ? this.transcript.find(turn.messageId) : undefined;
    turn.stream = turnOf.newStream(base ?? emptyAssistant(turn.messageId));
    streamStarted(this.#sockets, turn);
  }

  #endStream(outcome: "completed" | "error" | "aborted"): void {
    const turn = this.#current;
    if (!turn?.stream || turn.stream.outcome !== null) return;
    turn.stream.outcome = outcome;
    this.store();
  }

  /** One that has no stream yet opens it and ends without a word. One that a restart found is settled as it was cut. */
  #abort(turn: Turn): void {
    if (turn.state !== "running") return;
    if (turn.stream === null) this.#openStream(turn);
    this.#endStream("aborted");
  }

  /** A restart has found the turn: its answer is whole in storage, or it was cut. */
  #settleFound(turn: Turn): void {
    const { stream } = turn;
    const base = turn.isContinuation ? this.transcript.find(turn.messageId) : undefined;
    const { message } = turnOf.storedFold(turn, base);
    const isWhole = stream?.outcome === "completed" && !stream.isLost;
    turn.stream = null;
    if (isWhole) return this.#settle(turn, message, "completed", stream);
    if (!this.#options.isRecovering) return this.#settle(turn, message, "interrupted", stream);
    const plan = turnOf.planOf(turn.messageId, ++this.#count);
    this.#turns.splice(this.#turns.indexOf(turn) + 1, 0, turnOf.nextSegment(turn, plan));
    this.#settle(turn, message, "recovering", stream);
  }

  /** The commit: the answer and the ending, then everybody is told. */
  #settle(turn: Turn, answer: UIMessage | null, outcome: Outcome, stream = turn.stream): void {
    const hasAnswer = answer !== null && hasRenderableParts(answer);
    if (hasAnswer) this.#commit(outcome === "completed" ? answer : closeOpenParts(answer, CUT_TOOL), outcome);
    const isTrimmed = this.transcript.trim(this.#options.keeps);
    if (isTrimmed || !hasAnswer) this.transcript.reload();
    const heard = turn.stream === null ? null : turn.requestId;
    const note = outcome === "completed" && !hasAnswer ? "No response was generated." : "";
    turn.stream = stream;
    this.#current = null;
    this.#announce(turn, turnOf.terminalOf(turn.requestId, outcome, turnOf.inputIds(turn), note), heard);
  }

  #commit(answer: UIMessage, outcome: Outcome): void {
    const marked = { ...answer, ...turnOf.markOf(outcome) };
    if (this.transcript.find(answer.id) === undefined) this.transcript.append(marked);
    else this.transcript.update(marked);
  }

  /** The changed end of the transcript, then the terminal frame; only to those that hear the stream `heard`, if it had one. */
  #announce(turn: Turn, ending: ResponseFrame, heard: string | null): void {
    turn.ending = ending;
    const window = this.transcript.window();
    const answered = window.findIndex(({ id }) => id === turnOf.answeredBy(turn));
    const isOlder = answered === -1 && turn.answers !== null;
    const at = isOlder ? 0 : answered === -1 ? window.length - 1 : answered;
    const first = this.transcript.isPartial ? undefined : window[0]?.id;
    this.#tail(window[at]?.id ?? null, [...window.slice(at + 1), ...this.waiting()], first);
    broadcast(this.#sockets, ending, (socket) => heard === null || hears(socket, heard));
    if (this.isIdle) release(this.#sockets);
  }

  #tail(after: string | null, messages: UIMessage[], first?: string): void {
    const tail: ServerFrame = { type: T.CHAT_TAIL, after, messages, ...(first === undefined ? {} : { first }) };
    for (const socket of this.#sockets) {
      socket.send(socket.hasDelta ? tail : { type: T.CHAT_MESSAGES, messages: this.listed() });
    }
  }
}
