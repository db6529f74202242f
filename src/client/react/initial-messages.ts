/**
 * Messages that are fetched before a component shows: one request per
 * conversation, kept while somebody shows it, so that React finds the same
 * promise on each attempt to render.
 */
import type { UIMessage } from "ai";

/** Promises that no component holds are forgotten beyond this number. */
const MAX_UNHELD = 32;

type Messages = Promise<readonly UIMessage[]>;

interface Entry {
  readonly messages: Messages;
  holders: number;
}

const entries = new Map<string, Entry>();

/** What `read` gives, once per key. The key names the conversation and holds no secrets. Never rejects: what cannot be read is empty. */
export function initialMessages(key: string, read: () => Messages): Messages {
  const known = entries.get(key);
  if (known !== undefined) return known.messages;
  const messages = (async () => read())().catch((error: unknown) => {
    console.warn("Reading messages failed.", error);
    return [];
  });
  entries.set(key, { messages, holders: 0 });
  const unheld = [...entries].filter(([, { holders }]) => holders === 0);
  for (const [oldest] of unheld.slice(0, -MAX_UNHELD)) entries.delete(oldest);
  return messages;
}

/**
 * Keeps what was read. Returns how to let go; when everybody has, the next
 * component reads anew. Not at once: a component may come back right away.
 */
export function holdMessages(key: string): () => void {
  const entry = entries.get(key);
  if (entry === undefined) return () => undefined;
  entry.holders += 1;
  return () => {
    entry.holders -= 1;
    queueMicrotask(() => {
      if (entry.holders === 0 && entries.get(key) === entry) entries.delete(key);
    });
  };
}
