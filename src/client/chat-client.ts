/**
 * A conversation as a store: connect, subscribe, read snapshots, send.
 *
 * The shell around `chat-machine.ts` and `link.ts`: it owns the socket, does
 * what the machine's outbox asks for, and tells listeners at most once per
 * frame. It decides nothing.
 */
import type { FileUIPart, TextUIPart, UIMessage } from "ai";
import type { ChatSocket, ConversationAddress, PageReader, SocketFactory } from "./address.ts";
import { readPage, reconnectingSocket } from "./address.ts";
import { type ChatEvent, step } from "./chat-machine.ts";
import { type ChatState, type Effect, emptyChat, type TurnEnding } from "./chat-state.ts";
import { type LinkEvent, linkEventOfClose, type LinkState, nextLinkState } from "./link.ts";
import { newId } from "./new-id.ts";
import { nextFrame, type Schedule } from "./next-frame.ts";
import { parseServerFrame } from "../shared/server-frames.ts";
import { type ChatView, viewOf } from "./view.ts";

/** The longest page that is asked for. */
const MAX_PAGE = 200;

/** What a user message may be made of. */
export type SendPart = TextUIPart | FileUIPart;

export interface ChatClientOptions extends ConversationAddress {
  /** Makes the socket. Default: one that reconnects by itself. */
  readonly socket?: SocketFactory;
  /** Reads pages of messages. Default: HTTP. */
  readonly readPage?: PageReader;
  /** When listeners are told of changes. Default: the next animation frame, or soon where there is none. */
  readonly schedule?: Schedule;
  /** Makes ids of requests and messages. Default: 128 random bits. */
  readonly newId?: () => string;
  /** Called when a turn ends: once for each request of this client, and for those of others that it sees end. */
  readonly onTurnEnd?: (ending: TurnEnding) => void;
  /** Messages per page of `loadOlder`. Default 50. */
  readonly pageSize?: number;
}

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
  #socket: ChatSocket | null = null;
  #link: LinkState = "closed";
  #state: ChatState = emptyChat;
  #view: ChatView = viewOf(emptyChat, "closed", null);
  #isScheduled = false;

  constructor(options: ChatClientOptions) {
    this.#options = options;
  }

  /** Opens the link and keeps it open. Does nothing while there is one; after a refusal it tries again. */
  connect(): void {
    if (this.#socket !== null) return;
    this.#moveLink("connect");
    this.#attach((this.#options.socket ?? reconnectingSocket)(this.#options));
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
    this.#dispatch({ type: "submit", requestId: this.#newId(), messages: [message] });
    return message.id;
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

  /** Empties the conversation for everybody who is in it. Does nothing while the link is not open. */
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
    const ifCurrent = (react: () => void) => () => (this.#socket === socket ? react() : undefined);
    socket.addEventListener(
      "open",
      ifCurrent(() => this.#onOpen()),
    );
    socket.addEventListener("close", ({ code }) => ifCurrent(() => this.#onClose(code))());
    socket.addEventListener("message", ({ data }) => ifCurrent(() => this.#onMessage(data))());
  }

  #detach(event: Extract<LinkEvent, "lost" | "refused">): void {
    const socket = this.#socket;
    this.#socket = null;
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
    for (const effect of this.#state.outbox) this.#perform(effect);
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
      case "turn-ended":
        this.#options.onTurnEnd?.(effect.ending);
    }
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
      const before = this.#view;
      if (this.getSnapshot() !== before) for (const listener of this.#listeners) listener();
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
