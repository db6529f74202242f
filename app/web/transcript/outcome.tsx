import type { ReactNode } from "react";
import { cutOf } from "troupe/client";
import type { Conversation } from "troupe/react";
import { Icon } from "../shell/icons.tsx";
import { adviceFor } from "./advice.ts";

/** How the last turn ended, where that needs saying, and the way to try it again. */
export function Outcome({ chat, onRetry }: { readonly chat: Conversation; readonly onRetry: () => void }) {
  const retry = chat.canRetry ? <RetryButton onRetry={onRetry} /> : null;
  if (chat.error !== undefined) {
    const advice = adviceFor(chat.error);
    return (
      <div className="outcome error" role="alert">
        <div>
          <p className="outcome-title">{chat.error.message || "Something went wrong."}</p>
          {advice === null ? null : <p>{advice}</p>}
        </div>
        {retry}
      </div>
    );
  }
  return <Note chat={chat} retry={retry} />;
}

function Note({ chat, retry }: { readonly chat: Conversation; readonly retry: ReactNode }) {
  const note = noteOf(chat);
  if (note === null && retry === null) return null;
  return (
    <div className="outcome">
      <p>{note ?? "This message has not been answered."}</p>
      {retry}
    </div>
  );
}

function RetryButton({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <button type="button" onClick={onRetry}>
      <Icon name="retry" /> Try again
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
