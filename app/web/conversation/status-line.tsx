import type { Conversation } from "troupe/react";
import type { Connection } from "./connection.ts";

interface StatusLineProps {
  readonly chat: Conversation;
  readonly connection: Connection;
}

/** One line for what goes on, read out when it changes. */
export function StatusLine({ chat, connection }: StatusLineProps) {
  return (
    <div className="status">
      <p role="status" aria-live="polite">
        {connection.status ?? textOf(chat)}
        <span className="unseen">{endingOf(chat)}</span>
      </p>
      {chat.link === "closed-for-good" ? (
        <button type="button" onClick={chat.connect}>
          Connect again
        </button>
      ) : null}
    </div>
  );
}

/** That the last answer has ended, for those who do not see it; an error or a note says so itself. */
function endingOf({ status, lastTurn }: Conversation): string {
  if (status !== "ready" || lastTurn === undefined) return "";
  if (lastTurn.outcome === "aborted") return "Answer stopped.";
  return lastTurn.outcome === "completed" ? lastTurn.text || "Answer complete." : "";
}

function textOf({ status }: Conversation): string {
  switch (status) {
    case "submitted":
      return "Waiting for an answer…";
    case "streaming":
      return "The assistant is answering…";
    // The error itself stands behind the last message and is read out from there.
    case "error":
    case "ready":
      return "";
  }
}
