/** What every message goes through before it is stored: our own clean-up, then the user's `onSanitizeMessage`. */
import type { UIMessage } from "ai";
import { sanitizeForStorage } from "../../../shared/sanitize.ts";
import type { ConversationParts } from "../parts.ts";

/** The message as it is to be stored; its id and role stay. Throws what the hook throws: then it must not be stored. */
export function sanitized(parts: Pick<ConversationParts, "hooks">, message: UIMessage): UIMessage {
  const { id, role } = message;
  return { ...parts.hooks.onSanitizeMessage(sanitizeForStorage(message)), id, role };
}
