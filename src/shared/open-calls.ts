/**
 * The calls of an answer that wait for somebody outside: a browser that runs a
 * client tool, or a person who decides. Only the last step can have any: the
 * model goes on when every call of a step is settled.
 */
import type { UIMessage, UIMessageChunk } from "ai";
import { applyChunk, startFold } from "./apply-chunk.ts";
import type { ToolPart } from "./message-parts.ts";
import { isToolPart } from "./message-parts.ts";

/** The calls of the last step that nobody has answered. Those that the provider runs are its own. */
export function openCalls(message: UIMessage): ToolPart[] {
  return lastStep(message).filter(
    (part) =>
      part.providerExecuted !== true &&
      (part.state === "input-streaming" || part.state === "input-available" || part.state === "approval-requested"),
  );
}

/** Whether somebody's answer has to be told to the model: a step with calls is the last thing, and all of them are settled. */
export function isStepSettled(message: UIMessage): boolean {
  return lastStep(message).length > 0 && openCalls(message).length === 0;
}

/** The message with every call that nobody has answered, or that was approved and has not run, closed with this reason. */
export function closeOpenCalls(message: UIMessage, reason: string): UIMessage {
  const chunks = lastStep(message).flatMap((part): UIMessageChunk[] => {
    if (part.providerExecuted === true) return [];
    switch (part.state) {
      case "approval-requested":
        return denial(part, reason);
      case "input-streaming":
      case "input-available":
      case "approval-responded":
        return [{ type: "tool-output-error", toolCallId: part.toolCallId, errorText: reason }];
      default:
        return [];
    }
  });
  return withChunks(message, chunks);
}

/** The chunks of a decision on a call that asks for one. What is denied never runs. */
export function decision(part: ToolPart, approved: boolean, reason?: string): UIMessageChunk[] {
  return approved ? [response(part, true, reason)] : denial(part, reason);
}

/** The message after these chunks. */
export function withChunks(message: UIMessage, chunks: readonly UIMessageChunk[]): UIMessage {
  return chunks.reduce(applyChunk, startFold(message)).message;
}

function denial(part: ToolPart, reason?: string): UIMessageChunk[] {
  return [response(part, false, reason), { type: "tool-output-denied", toolCallId: part.toolCallId }];
}

function response(part: ToolPart, approved: boolean, reason?: string): UIMessageChunk {
  const approvalId = part.approval?.id ?? part.toolCallId;
  return { type: "tool-approval-response", approvalId, approved, ...(reason === undefined ? {} : { reason }) };
}

/** The calls behind the last border of a step. */
function lastStep(message: UIMessage): ToolPart[] {
  const start = message.parts.findLastIndex((part) => part.type === "step-start") + 1;
  return message.parts.slice(start).filter(isToolPart);
}
