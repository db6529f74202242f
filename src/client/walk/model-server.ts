/**
 * The server's side of the chat protocol, in memory and one step at a time, as
 * PROTOCOL.md has it. It answers each frame at once; `turns.advance` moves the
 * running turn by one step, and `replay` the replays that acknowledgements have
 * begun.
 */
import type { UIMessage } from "ai";
import type { ServerFrame } from "../../shared/server-frames.ts";
import { CHAT_MESSAGE_TYPES as T } from "../../shared/wire-words.ts";
import type { ClientFrame, ClientFrameOf } from "../../shared/wire.ts";
import type { ModelOptions } from "./model-options.ts";
import { caughtUp, offered, type Replay, replayStep, type ServerSocket } from "./model-socket.ts";
import { refusalOf, terminalOf } from "./model-turn.ts";
import type { ModelPage } from "./model-transcript.ts";
import { ModelTurns } from "./model-turns.ts";

export class ModelServer {
  readonly options: ModelOptions;
  readonly turns: ModelTurns;
  readonly sockets = new Set<ServerSocket>();
  readonly #replays: Replay[] = [];

  constructor(options: ModelOptions) {
    this.options = options;
    this.turns = new ModelTurns(options, this.sockets);
  }

  /** Whether nothing is left to do. */
  get isAtRest(): boolean {
    return this.turns.isIdle && this.#replays.length === 0;
  }

  has(messageId: string): boolean {
    return this.turns.current?.messageId === messageId || this.turns.listed().some(({ id }) => id === messageId);
  }

  connect(socket: ServerSocket): void {
    this.sockets.add(socket);
    const running = this.turns.streaming();
    if (running !== null) offered(socket, running);
    socket.send(this.#openingFrame(socket));
  }

  disconnect(socket: ServerSocket): void {
    this.sockets.delete(socket);
  }

  /** The process dies: sockets are gone, and what was not stored. */
  crash(): void {
    this.sockets.clear();
    this.#replays.length = 0;
    this.turns.crash();
  }

  /** A page of messages as HTTP gives it; null for 404. */
  page(before: string | undefined, limit: number): ModelPage | null {
    const { transcript } = this.turns;
    if (before !== undefined) return transcript.before(before, limit);
    const page = transcript.newest(limit);
    return { ...page, messages: [...page.messages, ...this.turns.waiting()] };
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
        return this.turns.cancel(frame.id);
      case T.CHAT_CLEAR:
        return this.turns.clear();
      case T.CHAT_MESSAGES:
        return socket.send(this.#openingFrame(socket));
      case T.TOOL_RESULT:
      case T.TOOL_APPROVAL: {
        const { toolCallId } = frame;
        return socket.send({ type: T.CHAT_ERROR, code: "no_pending_call", message: "No such call.", toolCallId });
      }
    }
  }

  /** Moves one replay by one step. Of a turn that was cleared nothing more is told. */
  replay(): void {
    const replay = this.#replays.shift();
    if (replay === undefined) return;
    const { turn, socket } = replay;
    if (this.turns.byRequest(turn.requestId) !== turn) return caughtUp(socket, turn);
    const answer = this.turns.transcript.find(turn.messageId);
    if (replayStep(replay, this.turns.streaming(), answer)) this.#replays.push(replay);
  }

  #openingFrame({ hasDelta }: ServerSocket): ServerFrame {
    const page = hasDelta ? this.page(undefined, this.options.pageSize) : null;
    return { type: T.CHAT_MESSAGES, connect: true, ...(page ?? { messages: this.turns.listed() }) };
  }

  #admit(socket: ServerSocket, frame: ClientFrameOf<typeof T.USE_CHAT_REQUEST>): void {
    const { turns } = this;
    const known = turns.byRequest(frame.id);
    if (known !== undefined) return known.ending === null ? undefined : socket.send(known.ending);
    const { messages, trigger } = JSON.parse(frame.init.body) as { messages: UIMessage[]; trigger: string };
    if (JSON.stringify(messages).includes("refuse")) return socket.send(refusalOf(frame.id, "forbidden"));
    if (turns.lineLength >= this.options.line) return socket.send(refusalOf(frame.id, "limit"));
    const input = messages.filter(({ id }) => !turns.isTaken(id));
    if (input.length > 0) return turns.place(frame.id, input, null);
    const last = messages.at(-1)?.id ?? "";
    const isUnanswered = turns.isIdle && turns.transcript.path().at(-1)?.id === last;
    if (trigger !== "regenerate-message" && !isUnanswered) return socket.send(terminalOf(frame.id, "skipped", []));
    const isThere = turns.transcript.find(last) !== undefined;
    return isThere ? turns.place(frame.id, [], last) : socket.send(refusalOf(frame.id, "not_found"));
  }

  #answerProbe(socket: ServerSocket, { probeId, requests = [] }: ClientFrameOf<typeof T.STREAM_RESUME_REQUEST>): void {
    const { turns } = this;
    for (const id of requests) {
      const ending = turns.byRequest(id)?.ending;
      if (ending) socket.send(ending);
    }
    const unknown = requests.filter((id) => turns.byRequest(id) === undefined);
    const echo = { ...(probeId === undefined ? {} : { probeId }), ...(unknown.length > 0 ? { unknown } : {}) };
    const running = turns.streaming();
    if (running !== null) return offered(socket, running, echo);
    const next = turns.open()[0];
    if (next === undefined) return socket.send({ type: T.STREAM_RESUME_NONE, reason: "idle", ...echo });
    socket.session = { kind: "waiting" };
    socket.send({ type: T.STREAM_PENDING, id: next.requestId, ...echo });
  }

  #beginReplay(socket: ServerSocket, { id, after = 0 }: ClientFrameOf<typeof T.STREAM_RESUME_ACK>): void {
    const turn = this.turns.byRequest(id);
    if (turn === undefined) return;
    const isRunning = turn === this.turns.streaming();
    const { session } = socket;
    if (isRunning ? session.kind !== "offered" || session.requestId !== id : turn.ending === null) return;
    if (isRunning) {
      socket.session = { kind: "catching-up", requestId: id };
      const replaced = this.#replays.findIndex((replay) => replay.socket === socket && replay.turn === turn);
      if (replaced !== -1) this.#replays.splice(replaced, 1);
    }
    this.#replays.push({ socket, turn, seq: after, isRunning });
  }
}
