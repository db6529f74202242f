/** Tool calls move forward only: of two versions of a message, each call is taken in its later state. */
import type { UIMessage } from "ai";
import { isToolPart, mapParts, TOOL_STATES } from "../shared/message-parts.ts";
import { isSame } from "./same.ts";

/** `message` with the calls that are further along in `update`. The same message when none is. */
export function withLaterToolStates(message: UIMessage, update: UIMessage): UIMessage {
  return mapParts(message, (part) => {
    if (!isToolPart(part)) return part;
    const later = update.parts.find((other) => isToolPart(other) && other.toolCallId === part.toolCallId);
    if (later === undefined || !isToolPart(later)) return part;
    return rank(later.state) > rank(part.state) && !isSame(later, part) ? later : part;
  });
}

/** The three outcomes share the last rank: none replaces another. */
function rank(state: (typeof TOOL_STATES)[number]): number {
  return Math.min(TOOL_STATES.indexOf(state), TOOL_STATES.indexOf("output-available"));
}
