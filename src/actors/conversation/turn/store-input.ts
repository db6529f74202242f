/** The user messages of a turn become part of the transcript. */
import type { ConversationParts } from "../parts.ts";
import type { StoredMessage } from "../transcript/message-store.ts";
import type { Turn } from "./turn.ts";

/** Stores what the turn's request brought, behind the active path. Call inside a transaction. */
export function storeInput(parts: Pick<ConversationParts, "messages">, turn: Turn): StoredMessage[] {
  let parent = turn.input.length === 0 ? null : parts.messages.leaf();
  return turn.input.map((message) => {
    const stored = parts.messages.append(message, parent);
    parent = stored.seq;
    return stored;
  });
}
