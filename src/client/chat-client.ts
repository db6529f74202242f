/**
 * A conversation as a store: connect, subscribe, read snapshots, send.
 *
 * The shell around `chat-machine.ts` and `link.ts`: it owns the socket, does
 * what the machine's outbox asks for, and tells listeners at most once per
 * frame. It decides nothing.
 */
import type { UIMessage } from "ai";
import type { ChatSocket, PageReader, SocketFactory } from "./address.ts";
import { readPage, reconnectingSocket } from "./address.ts";
import { type ChatEvent, step } from "./chat-machine.ts";
import type { ChatClientOptions, ChatWatcher, RegenerateOptions, RequestOptions, SendPart } from "./chat-options.ts";
import { type AlarmKind, type ChatState, type Effect, emptyChat, findRequest, runningRequest } from "./chat-state.ts";
import { guarded } from "./guarded.ts";
import { type LinkEvent, linkEventOfClose, type LinkState, NETWORK_EVENTS, nextLinkState } from "./link.ts";
import { newId } from "./new-id.ts";
import { afterMs, nextFrame } from "./next-frame.ts";
import { parseServerFrame } from "../shared/server-frames.ts";
import { type ChatView, viewOf } from "./view.ts";

/** The longest page that is asked for. */
const MAX_PAGE = 200;

/**
 * ```ts
 * const chat = new ChatClient({ agent: "assistant", name: "my-chat" });
 * chat.subscribe(() => render(chat.getSnapshot()));
 * chat.connect();
 * chat.send("Hello");
 * ```
 */
export class ChatClient {
  readonly #options: ChatClientOptions;
  readonly #listeners = new Set<() => void>();
  readonly #watchers = new Set<ChatWatcher>();
  readonly #alarms = new Map<AlarmKind, () => void>();
  /** What is asked for and not done yet, in order. */
  readonly #due: Effect[] = [];
  #socket: ChatSocket | null = null;
  #link: LinkState = "closed";
  #state: ChatState = emptyChat;
  #view: ChatView = viewOf(emptyChat, "closed", null);
  /** The view that listeners were last told of. */
  #shown: ChatView = this.#view;
  #isScheduled = false;
  /** When the network has gone or come, or nothing comes, nobody knows what a connection is worth. */
  readonly #reconnect = (): void => this.#socket?.reconnect?.();

  constructor(options: ChatClientOptions) {
    this.#options = options;
    const { messages = [], resume = true, onChunk } = options;
    this.#state = { ...emptyChat, transcript: messages, canResume: resume, wantsChunks: onChunk !== undefined };
  }

  /** The state of the link; part of every snapshot, and cheap to read. */
  get link(): LinkState {
    return this.#link;
  }

  /** Opens the link and keeps it open, over `socket`. Does nothing while there is one; after a refusal it tries again. */
  connect(socket: SocketFactory = this.#options.socket ?? reconnectingSocket): void {
    if (this.#socket !== null) return;
    this.#moveLink("connect");
    this.#attach(socket(this.#options));
  }

  /** Asks what runs, and takes it, also with the option `resume: false`. Nothing while that is asked already. */
  resume(): void {
    this.#dispatch({ type: "resume" });
  }

  /** Reads the newest page again, for a socket that was open before this client came. */
  refresh(): void {
    this.#dispatch({ type: "refresh" });
  }

  /** Closes the link. Turns go on at the server; messages not sent yet wait for the next `connect`. */
  close(): void {
    this.#detach("lost");
  }

  /** Calls `listener` after changes that a snapshot shows, at most once per frame. Returns how to stop that. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The conversation as it is now. The same object as long as nothing visible has changed. */
  readonly getSnapshot = (): ChatView => {
    this.#view = viewOf(this.#state, this.#link, this.#view);
    return this.#view;
  };

  /**
   * Sends a user message, now or as soon as the link allows, and shows it at
   * once. Returns its id, or null for a message without content. One that is
   * over the limit of a frame (16 MiB) ends as an error in the snapshot.
   */
  send(content: string | readonly SendPart[]): string | null {
    const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : [...content];
    if (parts.every((part) => part.type === "text" && part.text.trim() === "")) return null;
    const message: UIMessage = { id: this.#newId(), role: "user", parts };
    this.submit([message]);
    return message.id;
  }

  /** Hears of every chunk and of every turn that ends, at once and in order. Returns how to stop that. */
  watch(watcher: ChatWatcher): () => void {
    this.#watchers.add(watcher);
    if (watcher.onChunk) this.#dispatch({ type: "want-chunks" });
    return () => this.#watchers.delete(watcher);
  }

  /**
   * What `take` makes of the id of the request whose answer runs, as soon as
   * the server has said which, and before anything becomes of that answer; null
   * when nothing runs, and when nobody will say, because the link was closed.
   */
  running<T>(take: (requestId: string | null) => T): Promise<T> {
    return new Promise((resolve) => {
      const look = () => {
        const running = this.#socket === null ? null : runningRequest(this.#state);
        if (running === undefined) return;
        stop();
        resolve(take(running));
      };
      const stop = this.watch({ onChange: look });
      look();
    });
  }

  /** Sends user messages under their own ids, as `send` does, and returns the id of the request. */
  submit(messages: readonly UIMessage[], options: RequestOptions = {}): string {
    const { requestId = this.#newId(), body } = options;
    this.#dispatch({ type: "submit", requestId, messages, body });
    return requestId;
  }

  /**
   * Answers a user message again: the named one, the one that the named answer
   * answers, or else the last. Returns the id of the request; null when there
   * is nothing to answer.
   */
  regenerate(options: RegenerateOptions = {}): string | null {
    const { requestId = this.#newId() } = options;
    this.#dispatch({ type: "regenerate", ...options, requestId });
    return findRequest(this.#state, requestId) === undefined ? null : requestId;
  }

  /** Cancels one request, whether it waits or runs. */
  cancel(requestId: string): void {
    this.#dispatch({ type: "cancel", requestId });
  }

  /** Takes the error away from the snapshot. */
  clearError(): void {
    this.#dispatch({ type: "clear-error" });
  }

  /** Shows these messages until the server tells the transcript again. The server's transcript does not change. */
  setMessages(messages: readonly UIMessage[]): void {
    this.#dispatch({ type: "set-messages", messages });
  }

  /**
   * Cancels the answer that runs, whoever asked for it; before anything runs,
   * the oldest own request. What was answered so far stays, and what waits goes on.
   */
  stop(): void {
    this.#dispatch({ type: "stop" });
  }

  /** Answers the last user message again. Does nothing while a turn runs or waits. */
  retry(): void {
    this.#dispatch({ type: "retry", requestId: this.#newId() });
  }

  /** Empties the conversation for everybody. Does nothing while the link is not open. */
  clear(): void {
    this.#dispatch({ type: "clear" });
  }

  /** Puts the page of messages before the first one in front, unless the conversation changed too much meanwhile. Throws `TroupeError` when it cannot be read. */
  async loadOlder(): Promise<void> {
    const { transcript, hasMore, pageEpoch: epoch } = this.#state;
    const before = transcript[0]?.id;
    if (before === undefined || !hasMore) return;
    const page = await this.#readPage({ before, limit: this.#pageSize });
    this.#dispatch({ type: "older", epoch, before, ...page });
  }

  #attach(socket: ChatSocket): void {
    this.#socket = socket;
    for (const type of NETWORK_EVENTS) globalThis.addEventListener?.(type, this.#reconnect);
    const isCurrent = () => this.#socket === socket;
    socket.addEventListener("open", () => isCurrent() && this.#onOpen());
    socket.addEventListener("close", ({ code }) => isCurrent() && this.#onClose(code));
    socket.addEventListener("message", ({ data }) => isCurrent() && this.#onMessage(data));
  }

  #detach(event: Extract<LinkEvent, "lost" | "refused">): void {
    const socket = this.#socket;
    this.#socket = null;
    for (const type of NETWORK_EVENTS) globalThis.removeEventListener?.(type, this.#reconnect);
    for (const silence of this.#alarms.values()) silence();
    socket?.close();
    this.#moveLink(event);
    this.#dispatch({ type: "closed" });
  }

  #onOpen(): void {
    this.#moveLink("open");
    this.#dispatch({ type: "opened" });
  }

  #onClose(code: number): void {
    const event = linkEventOfClose(code);
    if (event === "refused") return this.#detach(event);
    this.#moveLink(event);
    this.#dispatch({ type: "closed" });
  }

  #onMessage(data: unknown): void {
    const frame = parseServerFrame(data);
    if (frame !== null) this.#dispatch({ type: "frame", frame });
  }

  #dispatch(event: ChatEvent): void {
    this.#state = step(this.#state, event);
    const { outbox } = this.#state;
    if (this.#due.push(...outbox) === outbox.length) {
      // What a callback asks for meanwhile comes behind what this event asks for.
      for (const effect of this.#due) guarded(() => this.#perform(effect));
      this.#due.length = 0;
    }
    this.#tell((watcher) => watcher.onChange?.());
    this.#scheduleNotice();
  }

  #perform(effect: Effect): void {
    switch (effect.type) {
      case "send":
        this.#socket?.send(JSON.stringify(effect.frame));
        return;
      case "fetch-page":
        this.#readPage({ limit: Math.min(Math.max(this.#pageSize, effect.atLeast), MAX_PAGE) }).then(
          (page) => this.#dispatch({ type: "page", fetch: effect.fetch, ...page }),
          () => this.#dispatch({ type: "page-failed", fetch: effect.fetch }),
        );
        return;
      case "alarm":
        return this.#setAlarm(effect);
      case "reconnect":
        return this.#reconnect();
      case "chunk":
        return this.#tell((watcher) => watcher.onChunk?.(effect.chunk, effect.requestId));
      case "turn-ended":
        this.#tell((watcher) => watcher.onTurnEnd?.(effect.ending));
    }
  }

  #tell(tell: (watcher: ChatWatcher) => void): void {
    for (const watcher of [this.#options, ...this.#watchers]) guarded(() => tell(watcher));
  }

  #setAlarm({ kind, ms }: Extract<Effect, { type: "alarm" }>): void {
    this.#alarms.get(kind)?.();
    const ring = () => this.#dispatch({ type: "timeout", kind });
    this.#alarms.set(kind, (this.#options.alarm ?? afterMs)(ring, ms));
  }

  #moveLink(event: LinkEvent): void {
    this.#link = nextLinkState(this.#link, event);
    this.#scheduleNotice();
  }

  #scheduleNotice(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    (this.#options.schedule ?? nextFrame)(() => {
      this.#isScheduled = false;
      const view = this.getSnapshot();
      if (view === this.#shown) return;
      this.#shown = view;
      for (const listener of this.#listeners) guarded(listener);
    });
  }

  #readPage(page: Parameters<PageReader>[1]): ReturnType<PageReader> {
    return (this.#options.readPage ?? readPage)(this.#options, page);
  }

  get #pageSize(): number {
    return this.#options.pageSize ?? 50;
  }

  #newId(): string {
    return (this.#options.newId ?? newId)();
  }
}
