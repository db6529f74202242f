/** A tab's socket as the connection of an agent, which is there before the hook comes and stays when it goes. */
import type { TurnEndEvent } from "../react/agent-chat-options.ts";
import type { AgentConnection } from "../react/agent-socket.ts";
import type { TurnEnding } from "../chat-state.ts";
import type { ChatSocket } from "../address.ts";
import type { Tab } from "./tab.ts";

type Listener = (event: Event) => void;

const connections = new WeakMap<Tab, TabConnection>();
/** The tab that was opened last under each name. */
const tabs = new Map<string, Tab>();

export class TabConnection implements AgentConnection {
  readonly agent = "assistant";
  readonly name: string;
  readonly #socket: ChatSocket;
  readonly #listeners: [string, Listener][] = [];
  #isOpen = false;

  constructor(tab: Tab) {
    this.name = tab.server.options.name;
    this.#socket = tab.options().socket();
    this.#socket.addEventListener("open", () => this.#fire("open", {}));
    this.#socket.addEventListener("close", (event) => this.#fire("close", event));
    this.#socket.addEventListener("message", (event) => this.#fire("message", event));
  }

  /** The one connection of a tab. */
  static of(tab: Tab): TabConnection {
    const connection = connections.get(tab) ?? new TabConnection(tab);
    connections.set(tab, connection);
    tabs.set(connection.name, tab);
    return connection;
  }

  /** HTTP for those tabs: a page is read, comes and gets lost as the tab's pages do. */
  static readonly fetch = async (address: string): Promise<Response> => {
    const { pathname, searchParams } = new URL(address);
    const tab = tabs.get(pathname.split("/").at(-2) ?? "");
    if (tab === undefined) return new Response(null, { status: 404 });
    const before = searchParams.get("before");
    const page = { limit: Number(searchParams.get("limit")), ...(before === null ? {} : { before }) };
    const { messages, hasMore } = await tab.read(page);
    return Response.json(messages, { headers: { "x-chat-has-more": String(hasMore) } });
  };

  /** Whether the tab's sockets are closed, or nobody listens to its connection. */
  static isLet(tab: Tab): boolean {
    const connection = connections.get(tab);
    return connection === undefined ? tab.links.every((link) => link.isClosed) : connection.#listeners.length === 0;
  }

  get readyState(): number {
    return this.#isOpen ? 1 : 3;
  }

  getHttpUrl(): string {
    return `https://example.com/agents/assistant/${this.name}`;
  }

  send(data: string): void {
    this.#socket.send(data);
  }

  reconnect(): void {
    this.#socket.reconnect?.();
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.push([type, listener]);
  }

  removeEventListener(type: string, listener: Listener): void {
    const at = this.#listeners.findIndex(([one, other]) => one === type && other === listener);
    if (at !== -1) this.#listeners.splice(at, 1);
  }

  /** What the hook tells of an ending, in the client's words. The model server's texts name their codes. */
  ending({ requestId, outcome, error }: TurnEndEvent): TurnEnding {
    const refused = error === "No." ? "forbidden" : "model_error";
    const code = error?.includes("interrupted") === true ? "interrupted" : refused;
    return { requestId, outcome, text: error ?? "", code, isRetryable: false };
  }

  #fire(type: "open" | "close" | "message", event: object): void {
    if (type !== "message") this.#isOpen = type === "open";
    for (const [one, listener] of this.#listeners.slice()) if (one === type) listener(event as Event);
  }
}
