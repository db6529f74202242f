/** What a person is told about the connection. Pure. */
import type { ChatView } from "troupe/client";

export interface Connection {
  readonly tone: "good" | "warn" | "bad";
  /** In a word or two, for the heading. */
  readonly badge: string;
  /** What is going on, in a sentence; null while there is nothing to say. */
  readonly status: string | null;
}

type Seen = Pick<ChatView, "link" | "connectionError" | "queued"> & { readonly isEmpty: boolean };

/** `isOnline` is what the browser says of the network; a socket may look open for minutes after that is gone. */
export function connectionOf(seen: Seen, isOnline: boolean): Connection {
  const { link, connectionError, isEmpty } = seen;
  if (link === "closed-for-good") {
    return { tone: "bad", badge: "Not connected", status: "The server does not let you into this conversation." };
  }
  if (!isOnline) return waiting("Offline", "This device is offline: no connection.", seen);
  if (link === "closed") return waiting("Reconnecting", "No connection.", seen);
  if (link === "connecting") {
    return isEmpty
      ? { tone: "warn", badge: "Connecting", status: null }
      : waiting("Connecting", "No connection.", seen);
  }
  return connectionError === null
    ? { tone: "good", badge: "Connected", status: null }
    : { tone: "warn", badge: "No answer", status: "No answer from the server. Trying again…" };
}

function waiting(badge: string, reason: string, { queued }: Seen): Connection {
  const what = queued === 1 ? "Your message is" : `${queued} messages are`;
  return {
    tone: "warn",
    badge,
    status: `${reason} ${queued > 0 ? `${what} sent as soon as there is one.` : "Trying again…"}`,
  };
}
