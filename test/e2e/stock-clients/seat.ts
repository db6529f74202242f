import type { UIMessage } from "ai";

/** A client at a conversation, as the person before it sees it. */
export interface Seat {
  /** The messages it shows, oldest first, each as `<role>: <text>`. */
  list(): Promise<readonly string[]>;
  /** Every message it has shown since it came or was reloaded, in every state, in the same form. */
  everShown(): Promise<readonly string[]>;
  /** Whether it waits for an answer or gets one. */
  isBusy(): Promise<boolean>;
  /** Everything it has reported as an error so far, except that connections broke which the test has cut. */
  problems(): readonly string[];
  send(text: string): Promise<void>;
  /** Stops the answer that runs. */
  stop(): Promise<void>;
  /** Empties the conversation. */
  clear(): Promise<void>;
  /** Forgets everything and comes back. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** A message as `<role>: <text>`. */
export function asLine({ role, parts }: UIMessage): string {
  return `${role}: ${parts.map((part) => (part.type === "text" ? part.text : "")).join("")}`;
}
