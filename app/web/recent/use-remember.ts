import type { UIMessage } from "ai";
import { useEffect } from "react";
import { remember, titleOf } from "./recent-list.ts";
import { recent } from "./recent-store.ts";

/** Keeps a conversation in the list of recent ones, from its first message on; each new one of a person puts it in front. */
export function useRemember(name: string, messages: readonly UIMessage[]): void {
  const last = messages.findLast(({ role }) => role === "user")?.id;
  const first = messages.find(({ role }) => role === "user");
  useEffect(() => {
    if (first === undefined || last === undefined) return;
    const seen = seenHere.get(name);
    seenHere.set(name, last);
    // What was there when the page came is not news: the list keeps its order.
    const isNews = seen !== undefined && seen !== last;
    const known = recent.get().some((entry) => entry.name === name);
    recent.update((list) =>
      remember(list, { name, title: titleOfMessages([first]), atMs: isNews || !known ? Date.now() : 0 }),
    );
    // Only a new message of a person is news.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [name, last]);
}

/** The newest own message that this page has seen, by conversation. */
const seenHere = new Map<string, string>();

/** What was said first, or the file that was sent first, cut to a title; empty while nobody has said anything. */
export function titleOfMessages(messages: readonly UIMessage[]): string {
  const first = messages.find(({ role }) => role === "user");
  if (first === undefined) return "";
  const { parts } = first;
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const file = parts.find((part) => part.type === "file");
  return titleOf(text) || (file?.filename ?? "Without words");
}
