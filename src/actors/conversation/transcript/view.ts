/**
 * What clients see of the transcript: the active path, and behind it the
 * messages of turns that still wait. Sends each socket the form it understands:
 * the changed end with the `delta` capability, else the full list.
 */
import type { UIMessage } from "ai";
import { CHAT_MESSAGE_TYPES, type ServerFrame } from "../../../shared/wire.ts";
import type { ConversationParts } from "../parts.ts";
import { understands } from "../sessions/sockets.ts";
import type { StoredMessage } from "./message-store.ts";

type ViewParts = Pick<ConversationParts, "messages" | "turns" | "window" | "sockets">;

/** Bound of a full list in one frame, in bytes of message JSON; of a longer transcript it holds the newest messages. */
export const LIST_BYTES = 16_000_000;
/** Bounds of one page of history: the first page of a client with `delta`, and the default of `?limit=`. */
export const PAGE_MESSAGES = 50;
export const PAGE_BYTES = 512_000;

/** A run of messages, oldest first, and whether older ones exist. */
export interface Page {
  readonly messages: UIMessage[];
  readonly hasMore: boolean;
}

/** Everything, oldest first. */
export function allMessages(parts: ViewParts): UIMessage[] {
  return [...parts.messages.activePath().map((entry) => entry.message), ...waitingInput(parts)];
}

/** The same as JSON texts, one in memory at a time. */
export function* allMessageTexts(parts: ViewParts): Generator<string> {
  yield* parts.messages.activePathTexts();
  for (const message of waitingInput(parts)) yield JSON.stringify(message);
}

/** The newest page of at most `limit` stored messages, and what waits behind it. */
export function newestPage(parts: ViewParts, limit: number = PAGE_MESSAGES): Page {
  const leaf = parts.messages.leaf();
  const page = leaf === null ? { messages: [], hasMore: false } : pageEndingAt(parts, leaf, limit);
  return { messages: [...page.messages, ...waitingInput(parts)], hasMore: page.hasMore };
}

/** The page before the message with this id; null when there is no such message. */
export function pageBefore(parts: ViewParts, id: string, limit: number): Page | null {
  const place = parts.messages.locate(id);
  if (place === null) return null;
  return place.parent === null ? { messages: [], hasMore: false } : pageEndingAt(parts, place.parent, limit);
}

function pageEndingAt(parts: ViewParts, seq: number, limit: number): Page {
  let page = parts.messages.page(seq, PAGE_BYTES, limit);
  // A client asks for what is before a message it has: a page of damaged rows only would be its last.
  while (page.entries.length === 0 && page.rest !== null) page = parts.messages.page(page.rest, PAGE_BYTES, limit);
  return { messages: page.entries.map((entry) => entry.message), hasMore: page.rest !== null };
}

/** Messages of admitted turns that have not started. */
export function waitingInput(parts: Pick<ViewParts, "turns">): UIMessage[] {
  return parts.turns.open().flatMap((record) => (record.state === "queued" ? record.turn.input : []));
}

/** A request's messages were admitted: stored behind `before` (the head until then), or waiting in line. */
export function messagesAppended(
  parts: ViewParts,
  before: number | null,
  stored: readonly StoredMessage[],
  waiting: readonly UIMessage[],
): void {
  // Read before the window takes the new messages: it may let go of the old head for them.
  const head = idOf(parts, before);
  const inLine = waitingInput(parts).slice(0, -waiting.length || undefined);
  parts.window.append(stored);
  const messages = [...stored.map((entry) => entry.message), ...waiting];
  if (messages.length > 0) tellTail(parts, waiting.length > 0 ? (inLine.at(-1)?.id ?? head) : head, messages);
}

/** The active path changed behind the message with id `after`. */
export function tellTail(parts: ViewParts, after: string | null, messages: UIMessage[], first?: string): void {
  const tail: ServerFrame = {
    type: CHAT_MESSAGE_TYPES.CHAT_TAIL,
    after,
    messages,
    ...(first === undefined ? {} : { first }),
  };
  parts.sockets.broadcast(tail, (connection) => understands(connection, "delta"));
  tellList(parts);
}

/** The full list, for sockets that know nothing else. */
function tellList(parts: ViewParts): void {
  if (!parts.sockets.someWithout("delta")) return;
  const list: ServerFrame = { type: CHAT_MESSAGE_TYPES.CHAT_MESSAGES, messages: listed(parts) };
  parts.sockets.broadcast(list, (connection) => !understands(connection, "delta"));
}

/** The frame that a socket gets when it opens. */
export function openingFrame(parts: ViewParts, hasDelta: boolean): ServerFrame {
  const type = CHAT_MESSAGE_TYPES.CHAT_MESSAGES;
  return hasDelta ? { type, connect: true, ...newestPage(parts) } : { type, connect: true, messages: listed(parts) };
}

/** What fits one frame: everything, or the newest messages of a transcript that is larger. */
function listed(parts: ViewParts): UIMessage[] {
  const leaf = parts.messages.leaf();
  const path = leaf === null ? [] : parts.messages.path(leaf, LIST_BYTES);
  return [...path.map((entry) => entry.message), ...waitingInput(parts)];
}

function idOf(parts: ViewParts, seq: number | null): string | null {
  return parts.window.entries().find((entry) => entry.seq === seq)?.message.id ?? null;
}
