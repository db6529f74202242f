/** What the server notes on an answer that was cut, in its metadata, so that it is still known after a reload. */
import type { UIMessage } from "ai";
import { isObject } from "../shared/parse-json.ts";

/** How an answer was cut: `aborted` by a person, or `failed`, then with the error as people may see it. */
export interface Cut {
  readonly outcome: "failed" | "aborted" | "superseded";
  readonly error?: { readonly message: string; readonly retryable: boolean };
}

/** How the answer was cut; null for a complete one and for messages of users. */
export function cutOf(message: UIMessage): Cut | null {
  if (message.role !== "assistant") return null;
  const note = fieldsOf(fieldsOf(message.metadata)["troupe"]);
  const { outcome } = note;
  if (outcome !== "failed" && outcome !== "aborted" && outcome !== "superseded") return null;
  const { message: text, retryable } = fieldsOf(note["error"]);
  const isError = typeof text === "string" && typeof retryable === "boolean";
  return isError ? { outcome, error: { message: text, retryable } } : { outcome };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
