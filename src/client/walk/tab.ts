/** One client with its sockets, what it reads over HTTP, and what is to be checked of it. */
import { expect } from "vitest";
import type { UIMessage } from "ai";
import type { ClientFrame } from "../../shared/wire.ts";
import { CHAT_MESSAGE_TYPES as T } from "../../shared/wire-words.ts";
import type { MessagePage } from "../address.ts";
import type { ChatClientOptions } from "../chat-options.ts";
import type { TurnEnding } from "../chat-state.ts";
import type { ModelServer } from "./model-server.ts";
import { Link } from "./network.ts";
import { type Seen, Witness } from "./witness.ts";

/** What a person has before him. */
export interface Face {
  readonly view: Seen;
  send(text: string): void;
  stop(): void;
  retry(): void;
  clear(): void;
  loadOlder(): Promise<void>;
  /** Leaves and comes back, in one of several ways. */
  leave(way: number): void;
  comeBack(): void;
}

/** A page that was asked for: read at the server at one time, delivered or lost at another. */
interface PageRead {
  isRead: boolean;
  read(): void;
  deliver(): void;
  fail(): void;
}

export class Tab {
  readonly server: ModelServer;
  readonly links: Link[] = [];
  readonly pages: PageRead[] = [];
  /** What is to be done when time has passed. */
  readonly alarms = new Set<() => void>();
  readonly witness: Witness;
  /** The messages of each request that was sent, and how often each request ended since its id was made. */
  readonly requests = new Map<string, readonly UIMessage[]>();
  readonly ends = new Map<string, number>();
  /** Messages that the server would not take, or of which nobody knows what became: if it lacks them, they stay here. */
  readonly refused = new Set<string>();
  readonly #name: string;
  readonly #hasDelta: boolean;
  readonly #notices: (() => void)[] = [];
  #ids = 0;

  constructor(name: string, server: ModelServer, hasDelta: boolean) {
    this.server = server;
    this.witness = new Witness(server);
    this.#name = name;
    this.#hasDelta = hasDelta;
  }

  /** Made anew by each call; what they do is the tab's. */
  options() {
    return {
      socket: () => this.#newLink(),
      pageSize: this.server.options.pageSize,
      readPage: (_, page) => this.read(page),
      alarm: (run) => this.#setAlarm(run),
      schedule: (run) => this.#notices.push(run),
      newId: () => this.#newId(),
      onTurnEnd: (ending) => this.#ended(ending),
    } satisfies Omit<ChatClientOptions, "agent" | "name">;
  }

  /** The socket that counts; the others are those of before. */
  get link(): Link | undefined {
    return this.links.at(-1);
  }

  get isQuiet(): boolean {
    const { link, links, pages } = this;
    if (links.length > 1 || pages.length > 0) return false;
    if (link === undefined || link.isClosed) return true;
    const { connection, lost } = link;
    return connection !== null && connection.toClient.length + connection.toServer.length + lost.length === 0;
  }

  /** Its client is gone, and with it what it knew; to the next one its requests are somebody else's. */
  forget(): void {
    this.witness.forget();
    this.requests.clear();
    this.ends.clear();
  }

  /** Time passes, for the oldest alarm at least. Says whether there was one. */
  ring(): boolean {
    const [alarm] = this.alarms;
    if (alarm === undefined) return false;
    this.alarms.delete(alarm);
    alarm();
    return true;
  }

  paint(): void {
    for (const notice of this.#notices.splice(0)) notice();
  }

  checkAtRest(view: Seen): void {
    this.witness.checkAtRest({ ...view, messages: view.messages.filter(({ id }) => !this.#isRefused(id)) });
    for (const id of this.requests.keys()) expect(this.ends.get(id), `request ${id} ends once`).toBe(1);
    for (const [id, count] of this.ends) {
      expect(count, `turn ${id} ends at most once`).toBeLessThanOrEqual(this.server.turns.countUnder.get(id) ?? 1);
    }
  }

  #isRefused(messageId: string): boolean {
    return this.refused.has(messageId) && !this.server.has(messageId);
  }

  #newLink(): Link {
    const link = new Link(this.server, this.#hasDelta);
    const send = link.send.bind(link);
    link.send = (data) => {
      const frame = JSON.parse(data) as ClientFrame;
      if (frame.type === T.USE_CHAT_REQUEST) this.requests.set(frame.id, messagesOf(frame.init.body));
      send(data);
    };
    this.links.push(link);
    return link;
  }

  #ended({ requestId, code }: TurnEnding): void {
    this.ends.set(requestId, (this.ends.get(requestId) ?? 0) + 1);
    if (code !== "forbidden" && code !== "limit" && code !== "interrupted") return;
    for (const { id } of this.requests.get(requestId) ?? []) this.refused.add(id);
  }

  /** A new request under an id that somebody else's had is another request. */
  #newId(): string {
    const id = `${this.#name}-${++this.#ids}`;
    this.ends.delete(id);
    return id;
  }

  #setAlarm(run: () => void): () => void {
    const alarm = () => run();
    this.alarms.add(alarm);
    return () => this.alarms.delete(alarm);
  }

  /** Asks for a page; it comes when the schedule lets it. */
  read({ before, limit }: { readonly before?: string; readonly limit: number }): Promise<MessagePage> {
    const take = () => this.server.page(before, limit);
    return new Promise((resolve, reject) => {
      let taken: MessagePage | null = null;
      const page: PageRead = {
        isRead: false,
        read: () => {
          taken = take();
          page.isRead = true;
        },
        deliver: () => (taken === null ? page.fail() : resolve(structuredClone(taken))),
        fail: () => reject(new Error("no page")),
      };
      this.pages.push(page);
    });
  }
}

function messagesOf(body: string): readonly UIMessage[] {
  return (JSON.parse(body) as { messages: UIMessage[] }).messages;
}
