/** Where a conversation is found, and how a client connects to it and reads from it. */
import type { UIMessage } from "ai";
import { TroupeError } from "../shared/errors.ts";
import { messages } from "../shared/server-frames.ts";
import { CAPABILITIES, CAPABILITY_PARAM } from "../shared/wire-words.ts";
import { ReconnectingSocket } from "./reconnecting-socket.ts";

export interface ConversationAddress {
  /** The agent as it stands in URLs: the class name in kebab-case, such as `assistant`. */
  readonly agent: string;
  /** The name of the conversation. Any text but `""`, `"."` and `".."`, which no URL holds as a name. */
  readonly name: string;
  /** Host with port, such as `chat.example.com`, or an origin, such as `http://10.0.0.2:8787`. Default: that of the page. */
  readonly host?: string;
}

/** What a socket tells; of events no more is read than this. */
export interface SocketListeners {
  open: () => void;
  close: (event: { readonly code: number }) => void;
  message: (event: { readonly data: unknown }) => void;
}

/** The part of a WebSocket that the client uses. A socket that reconnects by itself fires `open` and `close` each time. */
export interface ChatSocket {
  send(data: string): void;
  close(): void;
  /** Gives up the connection as it is, fires `close`, and makes another at once. A socket without it is kept, dead or not. */
  reconnect?(): void;
  addEventListener(type: "open", listener: SocketListeners["open"]): void;
  addEventListener(type: "close", listener: SocketListeners["close"]): void;
  addEventListener(type: "message", listener: SocketListeners["message"]): void;
}

export type SocketFactory = (address: ConversationAddress) => ChatSocket;

/** A socket that reconnects by itself: after 0.5 to 1 s at first, then more and more slowly up to 10 s. */
export const reconnectingSocket: SocketFactory = (address) =>
  new ReconnectingSocket(() => new WebSocket(connectionUrl(address)));

/** The WebSocket URL of a conversation, with what this client understands. */
export function connectionUrl(address: ConversationAddress): string {
  const query = new URLSearchParams({ [CAPABILITY_PARAM]: CAPABILITIES.join(",") });
  return `${originOf(address).replace(/^http/, "ws")}${pathOf(address)}?${query}`;
}

/** A page of messages, oldest first. */
export interface MessagePage {
  readonly messages: UIMessage[];
  /** Whether there are older ones. */
  readonly hasMore: boolean;
}

/** Reads the newest page, or the one before message `before`. Throws `TroupeError` (retryable) when the answer is not one. */
export async function readPage(
  address: ConversationAddress,
  page: { readonly before?: string; readonly limit: number },
): Promise<MessagePage> {
  return readPageAt(`${originOf(address)}${pathOf(address)}/get-messages`, page);
}

/** The same at a URL, whose query stays. */
export async function readPageAt(
  url: string,
  page: Parameters<PageReader>[1],
  init?: RequestInit,
): Promise<MessagePage> {
  const query = new URLSearchParams({ limit: String(page.limit), ...(page.before ? { before: page.before } : {}) });
  const response = await fetch(`${url}${url.includes("?") ? "&" : "?"}${query}`, init);
  const read: unknown = response.ok ? await response.json().catch(() => null) : null;
  if (!messages(read)) {
    throw new TroupeError("internal", `Reading messages failed with HTTP ${response.status}.`, { retryable: true });
  }
  return { messages: read, hasMore: response.headers.get("x-chat-has-more") === "true" };
}

export type PageReader = typeof readPage;

function pathOf(address: ConversationAddress): string {
  return `/agents/${encodeURIComponent(address.agent)}/${encodeURIComponent(address.name)}`;
}

/** A host without a scheme is reached as the page is when it is the page's own, else safely, except on this machine. */
function originOf(address: ConversationAddress): string {
  const { host } = address;
  if (host === undefined) return location.origin;
  if (/^https?:\/\//.test(host)) return host.replace(/\/+$/, "");
  if (typeof location !== "undefined" && host === location.host) return location.origin;
  return `${/^(localhost|127\.0\.0\.1|\[::1\])(:|$)/.test(host) ? "http" : "https"}://${host}`;
}
