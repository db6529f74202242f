/** What every message goes through before it is stored: our own clean-up, then the user's `onSanitizeMessage`. */
import type { UIMessage } from "ai";
import { TroupeError } from "../../../shared/errors.ts";
import { sanitizeForStorage } from "../../../shared/sanitize.ts";
import type { ConversationParts } from "../parts.ts";

/** The message as it is to be stored; its id and role stay. Throws what the hook throws, and for what is no message: then it must not be stored. */
export function sanitized(parts: Pick<ConversationParts, "hooks">, message: UIMessage): UIMessage {
  const { id, role } = message;
  const changed: unknown = parts.hooks.onSanitizeMessage(sanitizeForStorage(message));
  if (!hasParts(changed)) {
    throw new TroupeError("internal", "onSanitizeMessage must return a message with parts, and not a promise of one.");
  }
  return { ...changed, id, role };
}

function hasParts(value: unknown): value is UIMessage {
  const { parts } = (value ?? {}) as Partial<UIMessage>;
  return Array.isArray(parts) && parts.every((part) => typeof part?.type === "string");
}
