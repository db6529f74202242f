/** The parts of a message, told apart: what the reducer, the tool updates and the storage steps agree on. */
import type { DynamicToolUIPart, ToolUIPart, UIMessage } from "ai";

export type MessagePart = UIMessage["parts"][number];
export type ToolPart = ToolUIPart | DynamicToolUIPart;
export type ToolState = ToolPart["state"];

export const TOOL_STATES = [
  "input-streaming",
  "input-available",
  "approval-requested",
  "approval-responded",
  "output-available",
  "output-error",
  "output-denied",
] as const satisfies readonly ToolState[];

/** A call of a tool, known by name at build time (`tool-<name>`) or not (`dynamic-tool`). */
export function isToolPart(part: MessagePart): part is ToolPart {
  return part.type === "dynamic-tool" || part.type.startsWith("tool-");
}

/** Whether the call has its last state: an output that is not preliminary, an error, or a denial. */
export function isSettledToolPart(part: ToolPart): boolean {
  return (
    part.state === "output-error" ||
    part.state === "output-denied" ||
    (part.state === "output-available" && part.preliminary !== true)
  );
}

/** The parts with the one at `index` replaced; the others keep their identity. */
export function replacePart(message: UIMessage, index: number, part: MessagePart): UIMessage {
  return { ...message, parts: message.parts.with(index, part) };
}

/** The message with every part passed through `change`. The same message when no part changed; `null` drops a part. */
export function mapParts(message: UIMessage, change: (part: MessagePart) => MessagePart | null): UIMessage {
  const parts = message.parts.map(change);
  if (parts.every((part, index) => part === message.parts[index])) return message;
  return { ...message, parts: parts.filter((part) => part !== null) };
}
