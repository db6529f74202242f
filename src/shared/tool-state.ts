/**
 * What an answer from outside does to a waiting tool call, as pure updates.
 * An update names its call, the states in which it counts, and the new part;
 * in every other state nothing happens.
 */
import type { UIMessage } from "ai";
import type { MessagePart } from "./message-parts.ts";
import { isToolPart, replacePart } from "./message-parts.ts";

type PartFields = Readonly<Record<string, unknown>>;

export interface ToolPartUpdate {
  readonly toolCallId: string;
  /** The states of a part in which the update counts. */
  readonly matchStates: readonly string[];
  /** The new part. Must not change its argument. */
  readonly apply: (part: PartFields) => PartFields;
}

export interface ToolPartUpdated {
  /** The message as it was. */
  readonly message: UIMessage;
  /** Where in the message the call stands. */
  readonly partIndex: number;
  /** The message with the updated part; the other parts keep their identity. */
  readonly updated: UIMessage;
}

/** Finds the call, in the newest message that holds it in a matching state, and updates it. `null` when none matches. */
export function findAndUpdateToolPart(messages: readonly UIMessage[], update: ToolPartUpdate): ToolPartUpdated | null {
  for (const message of messages.toReversed()) {
    const partIndex = message.parts.findIndex((part) => matches(part, update));
    const part = message.parts[partIndex];
    if (part)
      return { message, partIndex, updated: replacePart(message, partIndex, update.apply(part) as MessagePart) };
  }
  return null;
}

/** The older name of `findAndUpdateToolPart`. */
export const applyToolUpdate = findAndUpdateToolPart;

/** The result of a call that somebody else ran: its output, or with `"output-error"` the reason why there is none. */
export function toolResultUpdate(
  toolCallId: string,
  output: unknown,
  overrideState?: "output-error",
  errorText = "Tool execution denied by user",
): ToolPartUpdate {
  const outcome =
    overrideState === "output-error"
      ? { state: "output-error", errorText }
      : { state: "output-available", output, preliminary: false };
  return {
    toolCallId,
    matchStates: ["input-available", "approval-requested", "approval-responded"],
    apply: (part) => ({ ...part, ...outcome }),
  };
}

/** The decision on a call. What the request said, its id first of all, stays on the part. */
export function toolApprovalUpdate(toolCallId: string, approved: boolean): ToolPartUpdate {
  return {
    toolCallId,
    matchStates: ["input-available", "approval-requested"],
    apply: (part) => ({
      ...part,
      state: approved ? "approval-responded" : "output-denied",
      approval: { ...(part["approval"] as object | undefined), approved },
    }),
  };
}

function matches(part: MessagePart, { toolCallId, matchStates }: ToolPartUpdate): boolean {
  return isToolPart(part) && part.toolCallId === toolCallId && matchStates.includes(part.state);
}
