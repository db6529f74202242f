import type { UIMessage } from "ai";
import type { Conversation } from "troupe/react";
import { plainText } from "./plain-text.ts";

/** A longer answer is read out only so far; all of it can be read in the transcript. */
const MOST_CHARS = 600;

/** Reads the answer out once it is there as a whole, for those who do not see it grow. */
export function Announcer({ chat }: { readonly chat: Conversation }) {
  const last = chat.messages.at(-1);
  const isNew = chat.status === "ready" && chat.lastTurn !== undefined && last?.role === "assistant";
  return (
    <p className="unseen" aria-live="polite" data-announcer>
      {isNew ? spoken(last) : ""}
    </p>
  );
}

function spoken({ parts }: UIMessage): string {
  const text = plainText(parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n"));
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}… The answer goes on.` : text;
}
