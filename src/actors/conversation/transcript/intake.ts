/**
 * What a posted list of messages may add: the run of user messages at its end.
 *
 * The server's transcript is the only truth. Everything before that run is
 * ignored, whatever it claims: other roles, changed text, tool states, outputs.
 * A missing id means "has not seen it", never "delete it".
 */
import type { UIMessage } from "ai";
import { userMessageSchema, userPartSchema } from "../../../shared/wire.ts";

/** Metadata keys that only the server sets; stripped from what clients post. */
export const RESERVED_METADATA = ["troupe", "principal", "source", "channel"] as const;

export type Intake =
  | { readonly ok: true; readonly messages: readonly UIMessage[] }
  | { readonly ok: false; readonly code: "empty_messages" | "bad_request"; readonly problem: string };

/** The user messages at the end of `list`, validated and cleaned. */
export function intake(list: readonly unknown[]): Intake {
  if (list.length === 0) {
    return { ok: false, code: "empty_messages", problem: "`messages` is empty; send at least one user message" };
  }
  const start = list.findLastIndex((entry) => roleOf(entry) !== "user") + 1;
  const parsed = list.slice(start).map(userMessage);
  const problem = parsed.find((entry) => typeof entry === "string");
  return typeof problem === "string"
    ? { ok: false, code: "bad_request", problem }
    : { ok: true, messages: parsed.filter((entry) => typeof entry !== "string") };
}

/** A clean copy of a user message, or what is wrong with it. */
export function userMessage(value: unknown): UIMessage | string {
  const parsed = userMessageSchema.safeParse(value);
  if (!parsed.success) return "a user message needs an `id` of 1 to 256 characters and a list of `parts`";
  const parts = parsed.data.parts.flatMap((part) => {
    const known = userPartSchema.safeParse(part);
    return known.success ? [known.data] : [];
  });
  if (parts.length === 0)
    return `user message ${parsed.data.id} has no part that can be used; send a text or file part`;
  const metadata = cleanMetadata(parsed.data.metadata);
  return {
    id: parsed.data.id,
    role: "user",
    parts: parts as UIMessage["parts"],
    ...(metadata === undefined ? {} : { metadata }),
  };
}

function cleanMetadata(metadata: unknown): unknown {
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) return undefined;
  const entries = Object.entries(metadata).filter(([key]) => !(RESERVED_METADATA as readonly string[]).includes(key));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function roleOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "role" in value ? value.role : undefined;
}
