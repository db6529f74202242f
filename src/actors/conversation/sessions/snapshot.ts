/** A message as the shortest list of chunks that folds to it: what a reader gets when the chunks themselves are gone. */
import type { UIMessage, UIMessageChunk } from "ai";
import type { FoldState } from "../../../shared/apply-chunk.ts";

type Part = UIMessage["parts"][number];
type ToolPart = Extract<Part, { toolCallId: string }>;

/** What a stream has folded to so far. */
export type Folded = Pick<FoldState, "message" | "open">;

/** What has been folded behind the first `count` parts: those stood in the message before the stream began. */
export function foldedBehind({ message, open }: Folded, count: number): Folded {
  const later = [...open].flatMap(([key, index]) => (index < count ? [] : [[key, index - count] as const]));
  return { message: { ...message, parts: message.parts.slice(count) }, open: new Map(later) };
}

/**
 * Chunks that fold to the message. Open text and reasoning parts keep the ids
 * of their stream, so that its later deltas go on with them.
 */
export function chunksOfFold({ message, open }: Folded): UIMessageChunk[] {
  const idAt = new Map([...open].map(([key, index]) => [index, key.slice(key.indexOf(":") + 1)]));
  const metadata = message.metadata === undefined ? {} : { messageMetadata: message.metadata };
  return [
    { type: "start", messageId: message.id, ...metadata },
    ...message.parts.flatMap((part, at) => chunksOfPart(part, idAt.get(at) ?? `part-${at}`)),
  ];
}

function chunksOfPart(part: Part, id: string): UIMessageChunk[] {
  if (part.type === "step-start") return [{ type: "start-step" }];
  if (part.type === "text") return chunksOfText("text", id, part);
  if (part.type === "reasoning") return chunksOfText("reasoning", "id" in part ? String(part.id) : id, part);
  return "toolCallId" in part ? chunksOfTool(part) : [part as UIMessageChunk];
}

function chunksOfText(
  kind: "text" | "reasoning",
  id: string,
  part: Extract<Part, { type: "text" | "reasoning" }>,
): UIMessageChunk[] {
  const metadata = kept(part, { providerMetadata: "providerMetadata" });
  const citations = kept(part, { citations: "citations" });
  return [
    { type: `${kind}-start`, id, ...metadata },
    ...(part.text === "" ? [] : [{ type: `${kind}-delta`, id, delta: part.text } as UIMessageChunk]),
    ...(part.state === "streaming" ? [] : [{ type: `${kind}-end`, id, ...citations } as UIMessageChunk]),
  ];
}

function chunksOfTool(part: ToolPart): UIMessageChunk[] {
  const { toolCallId } = part;
  const call = { toolCallId, ...namesOf(part) };
  if (part.state === "input-streaming")
    return [
      { type: "tool-input-start", ...call, ...kept(part, { inputEncoding: "inputEncoding" }) },
      ...streamedInput(part),
    ];
  const input: UIMessageChunk = { type: "tool-input-available", ...call, input: inputOf(part) };
  return [input, ...approvalOf(part), ...outcomeOf(part)];
}

/** The input as the model wrote it, where storage keeps that beside the object it made of it. */
function inputOf(part: ToolPart): unknown {
  return "rawInput" in part && part.rawInput !== undefined ? part.rawInput : part.input;
}

function namesOf(part: ToolPart) {
  const isDynamic = part.type === "dynamic-tool";
  return {
    toolName: isDynamic ? part.toolName : part.type.slice("tool-".length),
    ...(isDynamic ? { dynamic: true } : {}),
    ...kept(part, { title: "title", callProviderMetadata: "providerMetadata" }),
    ...kept(part, { providerExecuted: "providerExecuted", toolMetadata: "toolMetadata" }),
  };
}

/** Fields of a part under the names that its chunks have for them; those that are not there stay away. */
function kept(part: object, names: Readonly<Record<string, string>>): Record<string, never> {
  const fields = part as Readonly<Record<string, never>>;
  return Object.fromEntries(
    Object.entries(names).flatMap(([from, to]) => (fields[from] === undefined ? [] : [[to, fields[from]]])),
  );
}

/** The input so far, as the text that came or, after storage, as what it was read as. */
function streamedInput(part: ToolPart): UIMessageChunk[] {
  const { rawInput } = part as { rawInput?: unknown };
  const text = typeof rawInput === "string" ? rawInput : (JSON.stringify(part.input) as string | undefined);
  return text === undefined ? [] : [{ type: "tool-input-delta", toolCallId: part.toolCallId, inputTextDelta: text }];
}

function approvalOf({ toolCallId, approval }: ToolPart): UIMessageChunk[] {
  if (approval?.id === undefined) return [];
  const { id: approvalId, approved } = approval;
  const said = { descriptor: "approvalDescriptor", inputSchemaInput: "inputSchemaInput", requestReason: "reason" };
  const request: UIMessageChunk = {
    type: "tool-approval-request",
    toolCallId,
    approvalId,
    ...kept(approval, { ...said, isAutomatic: "isAutomatic", signature: "signature" }),
  };
  if (approved === undefined) return [request];
  return [request, { type: "tool-approval-response", approvalId, approved, ...kept(approval, { reason: "reason" }) }];
}

function outcomeOf(part: ToolPart): UIMessageChunk[] {
  const { toolCallId } = part;
  const metadata = kept(part, { resultProviderMetadata: "providerMetadata" });
  if (part.state === "output-denied") return [{ type: "tool-output-denied", toolCallId }];
  if (part.state === "output-error")
    return [{ type: "tool-output-error", toolCallId, errorText: part.errorText, ...metadata }];
  return part.state === "output-available"
    ? [
        {
          type: "tool-output-available",
          toolCallId,
          output: part.output,
          ...metadata,
          ...kept(part, { preliminary: "preliminary" }),
        },
      ]
    : [];
}
