import type { ChatView } from "troupe/client";

/**
 * The ids of messages that wait for their turn. Those that other tabs sent are known by where they stand: turns run in
 * order, so what people said behind the answer that grows waits for its end.
 */
export function waitingIds(chat: Pick<ChatView, "messages" | "streamingId" | "waitingIds">): ReadonlySet<string> {
  const { messages, streamingId } = chat;
  const newest = messages.findLastIndex(({ role }) => role === "assistant");
  const isGrowing = streamingId !== null && messages[newest]?.id === streamingId;
  const behind = isGrowing ? messages.slice(newest + 1).map(({ id }) => id) : [];
  return new Set([...chat.waitingIds, ...behind]);
}
