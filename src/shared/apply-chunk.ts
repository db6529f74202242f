/**
 * The one reducer of the project: a message and a chunk make the next message.
 *
 * Live streams, replays, observers, recovery and storage, on the server and in
 * the browser, all fold chunks here. It never changes what it is given, never
 * throws, and agrees with the AI SDK's own reader (`readUIMessageStream`) on
 * every list of chunks that reader accepts from a model's answer. A chunk that
 * is unknown, malformed or out of place returns the very same state.
 */
import type { UIMessage, UIMessageChunk } from "ai";
import {
  applyApprovalRequest,
  applyApprovalResponse,
  applyToolDenied,
  applyToolInput,
  applyToolInputDelta,
  applyToolOutput,
} from "./apply-tool-chunk.ts";
import { FoldState, pushPart, setPart, stepStart } from "./fold-state.ts";
import { mergeMetadata } from "./merge-metadata.ts";
import type { MessagePart } from "./message-parts.ts";
import { replacePart } from "./message-parts.ts";
import { withParsedInput } from "./partial-input.ts";

export { closeOpenParts, hasRenderableParts } from "./close-parts.ts";
export type { FoldState } from "./fold-state.ts";
export { emptyAssistant, startFold } from "./fold-state.ts";

type Chunk<T extends UIMessageChunk["type"]> = Extract<UIMessageChunk, { type: T }>;
type Kind = "text" | "reasoning";

/** The chunk types the fold knows, and the fields that must be text for one to count. `data-*` is the other one. */
const TEXT_FIELDS = new Map<unknown, readonly string[]>(
  Object.entries({
    "text-start": ["id"],
    "text-delta": ["id", "delta"],
    "text-end": ["id"],
    "reasoning-start": ["id"],
    "reasoning-delta": ["id", "delta"],
    "reasoning-end": ["id"],
    custom: ["kind"],
    "tool-input-start": ["toolCallId", "toolName"],
    "tool-input-delta": ["toolCallId", "inputTextDelta"],
    "tool-input-available": ["toolCallId", "toolName"],
    "tool-input-error": ["toolCallId", "toolName", "errorText"],
    "tool-approval-request": ["approvalId", "toolCallId"],
    "tool-approval-response": ["approvalId"],
    "tool-output-available": ["toolCallId"],
    "tool-output-error": ["toolCallId", "errorText"],
    "tool-output-denied": ["toolCallId"],
    "source-url": ["sourceId", "url"],
    "source-document": ["sourceId", "mediaType", "title"],
    file: ["url", "mediaType"],
    "reasoning-file": ["url", "mediaType"],
    "steering-message": ["id"],
    "start-step": [],
    "reset-step": [],
    start: [],
    finish: [],
    "message-metadata": [],
  }),
);

/** The state after `chunk`; the same state when the chunk changes nothing. */
export function applyChunk(state: FoldState, chunk: UIMessageChunk): FoldState {
  return isWellFormed(chunk) ? apply(state, chunk) : state;
}

/**
 * The message with every half-arrived tool input parsed as far as it goes: what
 * to store when a stream was cut. `state.message` when there is none.
 */
export function finalizeFold(state: FoldState): UIMessage {
  let message = state.message;
  for (const { index, parsedLength } of state.inputs.values()) {
    const part = message.parts[index] as (MessagePart & { rawInput?: unknown }) | undefined;
    const isBehind = typeof part?.rawInput === "string" && part.rawInput.length > parsedLength;
    if (part && isBehind) message = replacePart(message, index, withParsedInput(part));
  }
  return message;
}

function isWellFormed(chunk: unknown): chunk is UIMessageChunk {
  const type = (chunk as Partial<UIMessageChunk> | null)?.type;
  const required = TEXT_FIELDS.get(type);
  if (required === undefined) return typeof type === "string" && type.startsWith("data-");
  for (const field of required) if (typeof (chunk as Record<string, unknown>)[field] !== "string") return false;
  return true;
}

function apply(state: FoldState, chunk: UIMessageChunk): FoldState {
  switch (chunk.type) {
    case "text-start":
      return openPart(state, "text", chunk);
    case "reasoning-start":
      return openPart(state, "reasoning", chunk);
    case "text-delta":
      return growPart(state, "text", chunk);
    case "reasoning-delta":
      return growPart(state, "reasoning", chunk);
    case "text-end":
      return endPart(state, "text", chunk);
    case "reasoning-end":
      return endPart(state, "reasoning", chunk);
    case "tool-input-start":
    case "tool-input-available":
    case "tool-input-error":
      return applyToolInput(state, chunk);
    case "tool-input-delta":
      return applyToolInputDelta(state, chunk);
    case "tool-output-available":
    case "tool-output-error":
      return applyToolOutput(state, chunk);
    case "tool-output-denied":
      return applyToolDenied(state, chunk);
    case "tool-approval-request":
      return applyApprovalRequest(state, chunk);
    case "tool-approval-response":
      return applyApprovalResponse(state, chunk);
    case "custom":
    case "source-url":
    case "source-document":
    case "file":
    case "reasoning-file":
      return pushPart(state, partOf(chunk));
    case "steering-message":
      return Array.isArray(chunk.parts) ? pushPart(state, partOf(chunk)) : state;
    case "start-step":
      return pushPart(state, { type: "step-start" });
    case "reset-step":
      return resetStep(state);
    case "start":
      return applyStart(state, chunk);
    case "finish":
    case "message-metadata":
      return withMetadata(state, chunk.messageMetadata);
    case "error":
    case "abort":
    case "finish-step":
      return state;
    default:
      return applyData(state, chunk);
  }
}

function openPart(state: FoldState, kind: Kind, chunk: Chunk<"text-start" | "reasoning-start">): FoldState {
  const next = pushPart(state, {
    type: kind,
    ...(kind === "reasoning" ? { id: chunk.id } : {}),
    text: "",
    state: "streaming",
    ...metadataOf(chunk),
  } as MessagePart);
  return next.withOpen(`${kind}:${chunk.id}`, state.message.parts.length);
}

function growPart(state: FoldState, kind: Kind, chunk: Chunk<"text-delta" | "reasoning-delta">): FoldState {
  const index = state.open.get(`${kind}:${chunk.id}`);
  const part = index === undefined ? undefined : state.partAt(index);
  if (index === undefined || part?.type !== kind) return state;
  return state.grow(index, { ...part, text: part.text + chunk.delta, ...metadataOf(chunk) });
}

function endPart(state: FoldState, kind: Kind, chunk: Chunk<"text-end" | "reasoning-end">): FoldState {
  const key = `${kind}:${chunk.id}`;
  const index = state.open.get(key);
  const part = index === undefined ? undefined : state.partAt(index);
  if (index === undefined || part?.type !== kind) return state;
  const citations = chunk.type === "text-end" && chunk.citations != null ? { citations: chunk.citations } : {};
  const next = setPart(state, index, { ...part, state: "done", ...citations, ...metadataOf(chunk) });
  return next.withOpen(key, undefined);
}

/** A part that is its chunk, without the fields that say nothing. */
function partOf(
  chunk: Chunk<"custom" | "source-url" | "source-document" | "file" | "reasoning-file" | "steering-message">,
): MessagePart {
  return Object.fromEntries(Object.entries(chunk).filter(([, value]) => value !== undefined)) as MessagePart;
}

function resetStep(state: FoldState): FoldState {
  const start = stepStart(state.message);
  const isEmpty = start === state.message.parts.length;
  if (isEmpty && state.open.size === 0 && state.inputs.size === 0) return state;
  const message = isEmpty ? state.message : { ...state.message, parts: state.message.parts.slice(0, start) };
  return new FoldState(message, new Map(), new Map());
}

/** The id of a message never changes once it has one: a continuation grows the message the client already knows. */
function applyStart(state: FoldState, chunk: Chunk<"start">): FoldState {
  const named =
    state.message.id === "" && typeof chunk.messageId === "string" && chunk.messageId !== ""
      ? state.withMessage({ ...state.message, id: chunk.messageId })
      : state;
  return withMetadata(named, chunk.messageMetadata);
}

function withMetadata(state: FoldState, metadata: unknown): FoldState {
  if (metadata === undefined || metadata === null) return state;
  return state.withMessage({ ...state.message, metadata: mergeMetadata(state.message.metadata, metadata) });
}

/** Data parts with an id are replaced in place; transient ones are for listeners only and never stored. */
function applyData(state: FoldState, chunk: Chunk<`data-${string}`>): FoldState {
  if (chunk.transient === true) return state;
  const index =
    chunk.id == null
      ? -1
      : state.message.parts.findIndex((part) => part.type === chunk.type && "id" in part && part.id === chunk.id);
  const part = state.message.parts[index];
  return part ? setPart(state, index, { ...part, data: chunk.data } as MessagePart) : pushPart(state, chunk);
}

function metadataOf<M>(chunk: { readonly providerMetadata?: M }): { providerMetadata?: NonNullable<M> } {
  return chunk.providerMetadata == null ? {} : { providerMetadata: chunk.providerMetadata };
}
