/** What is left open when an answer ends for good, and whether there is anything to show. */
import type { UIMessage } from "ai";
import type { MessagePart, ToolPart } from "./message-parts.ts";
import { isToolPart, mapParts } from "./message-parts.ts";
import { withParsedInput } from "./partial-input.ts";

/**
 * Closes what an answer that ended left open: text and reasoning become done,
 * tool calls whose input streams or that wait to run become `output-error` with
 * `reason`. Calls that wait for a decision are left alone, and those for which
 * `isWaiting` says that a client will still answer. The same message when
 * nothing was open.
 */
export function closeOpenParts(
  message: UIMessage,
  reason: string,
  isWaiting: (part: ToolPart) => boolean = () => false,
): UIMessage {
  return mapParts(message, (part) => closePart(part, reason, isWaiting));
}

function closePart(part: MessagePart, reason: string, isWaiting: (part: ToolPart) => boolean): MessagePart {
  if (part.type === "text" || part.type === "reasoning") {
    return part.state === "streaming" ? { ...part, state: "done" } : part;
  }
  if (!isToolPart(part) || (part.state !== "input-streaming" && part.state !== "input-available")) return part;
  return isWaiting(part) ? part : failCall(part, reason);
}

function failCall(part: ToolPart, errorText: string): MessagePart {
  const { rawInput: _, inputEncoding: __, ...call } = withParsedInput(part) as ToolPart & Record<string, unknown>;
  return { ...call, state: "output-error", errorText } as MessagePart;
}

/** Whether a reader would see anything of the message: step borders and empty text or reasoning show nothing. */
export function hasRenderableParts(message: UIMessage): boolean {
  return message.parts.some((part) => {
    if (part.type === "step-start") return false;
    return part.type === "text" || part.type === "reasoning" ? part.text !== "" : true;
  });
}
