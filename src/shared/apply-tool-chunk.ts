/**
 * The chunks of tool calls. A call is one part whose state only moves forward:
 *
 *   input-streaming → input-available → (approval-requested → approval-responded) → output-available | -error | -denied
 *
 * A chunk that would move it back, take back a decision or replace a settled
 * outcome is odd and changes nothing; a preliminary output is not settled.
 */
import type { UIMessage, UIMessageChunk } from "ai";
import type { FoldState, FoundCall } from "./fold-state.ts";
import { findCall, pushPart, setPart, stepStart } from "./fold-state.ts";
import type { MessagePart, ToolPart } from "./message-parts.ts";
import { isSettledToolPart, isToolPart } from "./message-parts.ts";
import { isDueForParsing, withParsedInput } from "./partial-input.ts";

type Chunk<T extends UIMessageChunk["type"]> = Extract<UIMessageChunk, { type: T }>;
type InputChunk = Chunk<"tool-input-start" | "tool-input-available" | "tool-input-error">;
type OutputChunk = Chunk<"tool-output-available" | "tool-output-error">;

/** Fields that belong to one state and go when the next begins. */
const STATE_FIELDS = ["input", "rawInput", "inputEncoding", "output", "errorText", "preliminary"] as const;

/** `tool-input-start`, `tool-input-available` and `tool-input-error`: makes the call, or moves it within its step. */
export function applyToolInput(state: FoldState, chunk: InputChunk): FoldState {
  const found = findInStep(state.message, chunk);
  if (found && !acceptsInput(found.part, chunk)) return state;
  const index = found?.index ?? state.message.parts.length;
  const part = { ...(found ? stripped(found.part) : { toolCallId: chunk.toolCallId }), ...inputFields(chunk, found) };
  const next = found ? setPart(state, index, part as MessagePart) : pushPart(state, part as MessagePart);
  const streaming = chunk.type === "tool-input-start" ? { index, parsedLength: 0 } : undefined;
  if (streaming === undefined && !state.inputs.has(chunk.toolCallId)) return next;
  return next.withInput(chunk.toolCallId, streaming);
}

/** Grows the raw text of a call; its `input` follows in steps of half its length, and on `finalizeFold`. */
export function applyToolInputDelta(state: FoldState, chunk: Chunk<"tool-input-delta">): FoldState {
  const streaming = state.inputs.get(chunk.toolCallId);
  const part = streaming && state.partAt(streaming.index);
  if (!part || !isToolPart(part) || part.state !== "input-streaming") return state;
  const rawInput = (part.rawInput ?? "") + chunk.inputTextDelta;
  const grown = { ...part, rawInput };
  if (!isDueForParsing(rawInput.length, streaming.parsedLength)) return state.grow(streaming.index, grown);
  const parsed = { index: streaming.index, parsedLength: rawInput.length };
  return state.grow(streaming.index, withParsedInput(grown)).withInput(chunk.toolCallId, parsed);
}

export function applyToolOutput(state: FoldState, chunk: OutputChunk): FoldState {
  const found = findCall(state.message, chunk.toolCallId);
  // A call refused for its input is told twice: as an input error and as an output error.
  const isRepeatedError = found?.part.state === "output-error" && chunk.type === "tool-output-error";
  if (!found || (isSettledToolPart(found.part) && !isRepeatedError)) return state;
  const { input, rawInput } = found.part as { input?: unknown; rawInput?: unknown };
  return setPart(state, found.index, {
    ...stripped(found.part),
    ...(input === undefined ? {} : { input }),
    ...(rawInput === undefined || chunk.type === "tool-output-available" ? {} : { rawInput }),
    ...outcomeFields(chunk),
    ...sharedFields(chunk),
    ...present({ resultProviderMetadata: chunk.providerMetadata }),
  } as MessagePart);
}

/** Denies a call; one that was approved or has an outcome keeps it. */
export function applyToolDenied(state: FoldState, chunk: Chunk<"tool-output-denied">): FoldState {
  const found = findCall(state.message, chunk.toolCallId);
  if (!found || isSettledToolPart(found.part) || found.part.approval?.approved === true) return state;
  return setPart(state, found.index, { ...found.part, state: "output-denied" } as MessagePart);
}

export function applyApprovalRequest(state: FoldState, chunk: Chunk<"tool-approval-request">): FoldState {
  const found = findCall(state.message, chunk.toolCallId);
  if (!found || found.part.state === "approval-responded" || isSettledToolPart(found.part)) return state;
  const approval = {
    id: chunk.approvalId,
    ...(Object.hasOwn(chunk, "inputSchemaInput") ? { inputSchemaInput: chunk.inputSchemaInput } : {}),
    ...present({ descriptor: chunk.approvalDescriptor, requestReason: chunk.reason, signature: chunk.signature }),
    ...(chunk.isAutomatic === true ? { isAutomatic: true } : {}),
  };
  return setPart(state, found.index, { ...found.part, state: "approval-requested", approval } as MessagePart);
}

/** Records the decision on an approval. The first decision wins; everything the request said stays. */
export function applyApprovalResponse(state: FoldState, chunk: Chunk<"tool-approval-response">): FoldState {
  const index = state.message.parts.findIndex((part) => isToolPart(part) && part.approval?.id === chunk.approvalId);
  const part = state.message.parts[index] as ToolPart | undefined;
  const decided = part?.approval?.approved;
  if (!part || isSettledToolPart(part) || (decided !== undefined && decided !== chunk.approved)) return state;
  return setPart(state, index, {
    ...part,
    state: "approval-responded",
    approval: { ...part.approval, approved: chunk.approved, ...present({ reason: chunk.reason }) },
    ...present({ providerExecuted: chunk.providerExecuted, callProviderMetadata: chunk.providerMetadata }),
  } as MessagePart);
}

/** The call of this step that an input chunk speaks of: static or dynamic like the chunk, except that errors take either. */
function findInStep(message: UIMessage, chunk: InputChunk): FoundCall | null {
  const start = stepStart(message);
  const index = message.parts.findIndex(
    (part, at) =>
      at >= start &&
      isToolPart(part) &&
      part.toolCallId === chunk.toolCallId &&
      (chunk.type === "tool-input-error" || (part.type === "dynamic-tool") === (chunk.dynamic === true)),
  );
  return index === -1 ? null : { index, part: message.parts[index] as ToolPart };
}

function acceptsInput(part: ToolPart, chunk: InputChunk): boolean {
  if (part.state === "input-streaming") return true;
  return part.state === "input-available" && chunk.type !== "tool-input-start";
}

function inputFields(chunk: InputChunk, found: FoundCall | null): Record<string, unknown> {
  const isDynamic = found ? found.part.type === "dynamic-tool" : chunk.dynamic === true;
  return {
    ...(isDynamic ? { type: "dynamic-tool", toolName: chunk.toolName } : { type: `tool-${chunk.toolName}` }),
    ...stateOfInput(chunk),
    ...(chunk.type === "tool-input-error" || chunk.title === undefined ? {} : { title: chunk.title }),
    ...sharedFields(chunk),
    ...present({ [metadataField(chunk)]: chunk.providerMetadata }),
  };
}

function stateOfInput(chunk: InputChunk): Record<string, unknown> {
  switch (chunk.type) {
    case "tool-input-start":
      return { state: "input-streaming", ...present({ inputEncoding: chunk.inputEncoding }) };
    case "tool-input-available":
      return { state: "input-available", input: chunk.input };
    case "tool-input-error":
      return { state: "output-error", input: chunk.input, errorText: chunk.errorText };
  }
}

function outcomeFields(chunk: OutputChunk): Record<string, unknown> {
  if (chunk.type === "tool-output-error") return { state: "output-error", errorText: chunk.errorText };
  return {
    state: "output-available",
    output: chunk.output,
    ...(chunk.preliminary === undefined ? {} : { preliminary: chunk.preliminary }),
  };
}

/** What a chunk says when it says it, and what stays as it was when it does not. */
function sharedFields(chunk: InputChunk | OutputChunk): Record<string, unknown> {
  return {
    ...(chunk.toolMetadata === undefined ? {} : { toolMetadata: chunk.toolMetadata }),
    ...present({ providerExecuted: chunk.providerExecuted }),
  };
}

function metadataField(chunk: InputChunk): "resultProviderMetadata" | "callProviderMetadata" {
  return chunk.type === "tool-input-error" ? "resultProviderMetadata" : "callProviderMetadata";
}

function stripped(part: ToolPart): Record<string, unknown> {
  const rest: Record<string, unknown> = { ...part };
  for (const field of STATE_FIELDS) delete rest[field];
  return rest;
}

/** The fields that say something. */
function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}
