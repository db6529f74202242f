/** The connection that `useAgent` of `agents/react` gives, as the socket of a chat client. */
import type { ChatSocket, SocketListeners } from "../address.ts";

type EventType = keyof SocketListeners;

/** What is used of the connection. Every `AgentClient` and everything `useAgent` returns has it. */
export interface AgentConnection {
  /** The agent as it stands in URLs, in kebab-case. */
  readonly agent: string;
  readonly name: string;
  /** As in `WebSocket`; 1 is open. */
  readonly readyState: number;
  /** The address of the socket, where there is one already. */
  readonly url?: string | null;
  readonly connectionError?: Error | null;
  /** The same address for HTTP; `""` as long as there is none. */
  getHttpUrl?(): string;
  send(data: string): unknown;
  /** Gives up the connection and makes another. Without it a connection that is dead stays until it is closed. */
  reconnect?(): void;
  /** False once the connection was closed for good; nobody opens it again then. */
  readonly shouldReconnect?: boolean;
  addEventListener(type: string, listener: (event: Event) => void): void;
  removeEventListener(type: string, listener: (event: Event) => void): void;
}

/** Where an agent is found over HTTP, with its path and query: `ws:` becomes `http:`, `wss:` becomes `https:`; `""` without an address. */
export function httpUrlOf(agent: Pick<AgentConnection, "getHttpUrl" | "url">): string {
  return (agent.getHttpUrl?.() ?? agent.url ?? "").replace(/^ws/, "http");
}

/**
 * The agent's connection as a socket. Closing it takes its listeners away and
 * leaves the connection open: it is the agent's. On a connection that is open
 * already it opens at once, in a microtask.
 */
export function agentSocket(agent: AgentConnection): ChatSocket {
  const listening: [EventType, (event: Event) => void][] = [];
  const isListening = (listener: unknown) => listening.some(([, one]) => one === listener);
  return {
    send: (data) => void (agent.readyState === 1 && agent.send(data)),
    close: () => {
      for (const [type, listener] of listening.splice(0)) agent.removeEventListener(type, listener);
    },
    reconnect: () => agent.shouldReconnect !== false && agent.reconnect?.(),
    addEventListener: (type: EventType, hear: SocketListeners[EventType]) => {
      // Of each event the client reads what its kind has: the code of a close, the data of a message.
      const listener = hear as (event: Event) => void;
      listening.push([type, listener]);
      agent.addEventListener(type, listener);
      if (type !== "open" || agent.readyState !== 1) return;
      queueMicrotask(() => isListening(listener) && (hear as SocketListeners["open"])());
    },
  };
}
