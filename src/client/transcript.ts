/**
 * The part of the server's transcript that a client holds: a run of messages,
 * oldest first, up to the newest. Free functions, no state.
 *
 * Every function keeps the identity of messages whose content did not change,
 * and of the whole list when nothing did.
 */
import type { UIMessage } from "ai";
import { isSame } from "./same.ts";

export type Transcript = readonly UIMessage[];

export function indexOfMessage(list: Transcript, id: string): number {
  return list.findIndex((message) => message.id === id);
}

export function hasMessage(list: Transcript, id: string): boolean {
  return indexOfMessage(list, id) !== -1;
}

/** Everything behind message `after` (null: all) becomes `messages`; null when the list lacks `after`. */
export function applyTail(list: Transcript, after: string | null, messages: Transcript): Transcript | null {
  const at = after === null ? 0 : indexOfMessage(list, after) + 1;
  if (after !== null && at === 0) return null;
  return keepIdentity(list, [...list.slice(0, at), ...messages]);
}

/** The newest page of the server's messages, and whether there are older ones. */
export interface Page {
  readonly messages: Transcript;
  readonly hasMore: boolean;
}

/**
 * The newest page in place of the list. Older messages that were loaded before
 * stay in front of a page that continues them, so that nobody loses his place;
 * what became of them meanwhile only a page that reaches as far can tell.
 */
export function applyPage(held: Page, page: Page): Page {
  const first = page.messages[0];
  const at = page.hasMore && first ? indexOfMessage(held.messages, first.id) : -1;
  const older = held.messages.slice(0, Math.max(at, 0));
  return {
    messages: keepIdentity(held.messages, [...older, ...page.messages]),
    hasMore: older.length === 0 ? page.hasMore : held.hasMore,
  };
}

/** Puts an older page in front, unless the list no longer starts with `before`. Null: it does not. */
export function prependOlder(list: Transcript, before: string, older: Transcript): Transcript | null {
  if (list[0]?.id !== before) return null;
  const fresh = older.filter((message) => !hasMessage(list, message.id));
  return fresh.length === 0 ? list : [...fresh, ...list];
}

/** Forgets what stands before `first`; the same list when it lacks `first`. */
export function dropBefore(list: Transcript, first: string): Transcript {
  const at = indexOfMessage(list, first);
  return at <= 0 ? list : list.slice(at);
}

/** Replaces the message with that id; the same list when there is none. */
export function replaceMessage(list: Transcript, message: UIMessage): Transcript {
  const at = indexOfMessage(list, message.id);
  return at === -1 ? list : keepIdentity(list, list.with(at, message));
}

/** Adds the messages that are not there yet at the end. */
export function appendMissing(list: Transcript, messages: Transcript): Transcript {
  const missing = messages.filter((message) => !hasMessage(list, message.id));
  return missing.length === 0 ? list : [...list, ...missing];
}

/** Replaces the message, or puts it behind message `after`, or, without one, at the end. */
export function placeMessage(list: Transcript, message: UIMessage, after: string | null): Transcript {
  if (hasMessage(list, message.id)) return replaceMessage(list, message);
  const at = after === null ? -1 : indexOfMessage(list, after);
  return at === -1 ? [...list, message] : list.toSpliced(at + 1, 0, message);
}

/** `next` with the objects of `old` where they say the same; `old` itself when all do. */
export function keepIdentity(old: Transcript, next: Transcript): Transcript {
  const known = new Map(old.map((message) => [message.id, message]));
  const kept = next.map((message) => {
    const before = known.get(message.id);
    return before !== undefined && isSame(before, message) ? before : message;
  });
  return isSameList(old, kept) ? old : kept;
}

function isSameList(a: Transcript, b: Transcript): boolean {
  return a.length === b.length && a.every((message, at) => message === b[at]);
}
