import type { Conversation } from "troupe/react";
import { cutOf } from "troupe/client";

/** How the last turn ended, where that needs saying, and the way to try it again. */
export function Outcome({ chat, onRetry }: { readonly chat: Conversation; readonly onRetry: () => void }) {
  if (chat.error !== undefined) {
    return (
      <div className="outcome error" role="alert">
        <p>{chat.error.message || "Something went wrong."}</p>
        {chat.canRetry ? <RetryButton onRetry={onRetry} /> : null}
      </div>
    );
  }
  const note = noteOf(chat);
  if (note === null && !chat.canRetry) return null;
  return (
    <div className="outcome">
      <p>{note ?? "This message has not been answered."}</p>
      {chat.canRetry ? <RetryButton onRetry={onRetry} /> : null}
    </div>
  );
}

function RetryButton({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <button type="button" onClick={onRetry}>
      Try again
    </button>
  );
}

function noteOf({ lastTurn, messages, status }: Conversation): string | null {
  if (status !== "ready") return null;
  const last = messages.at(-1);
  const cut = last === undefined ? null : cutOf(last);
  if (cut?.outcome === "failed") return cut.error?.message ?? "This answer broke off.";
  if (cut !== null || lastTurn?.outcome === "aborted") return "This answer was stopped.";
  return lastTurn?.outcome === "completed" && lastTurn.text !== "" ? lastTurn.text : null;
}
