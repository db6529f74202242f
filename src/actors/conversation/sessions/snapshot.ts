/**
 * A message as the shortest list of chunks that folds to it: what is replayed
 * when the chunks themselves cannot be read. What is open in the fold stays
 * open under its own id, so that the chunks that follow find it.
 */
import type { UIMessage, UIMessageChunk } from "ai";
import type { FoldState } from "../../../shared/apply-chunk.ts";
import type { ChunkEntry } from "../../stream-buffer/contract.ts";

type Part = UIMessage["parts"][number];
type ToolPart = Extract<Part, { toolCallId: string }>;
type TextPart = Extract<Part, { type: "text" | "reasoning" }>;

/**
 * The chunks of a fold as entries from seq 1; the last one covers everything up
 * to `lastSeq`, so that the chunk behind it is the next one. Nothing for a fold
 * that has not begun.
 */
export function snapshotEntries(fold: FoldState, lastSeq: number): ChunkEntry[] {
  const chunks = chunksOfFold(fold);
  return chunks.map((chunk, at) => {
    const isLast = at === chunks.length - 1;
    return { from: at + 1, to: isLast ? Math.max(lastSeq, at + 1) : at + 1, chunk };
  });
}

export function chunksOfFold({ message, open }: FoldState): UIMessageChunk[] {
  const openIds = new Map([...open].map(([key, index]) => [index, key.slice(key.indexOf(":") + 1)]));
  const start: UIMessageChunk = {
    type: "start",
    messageId: message.id,
    ...(message.metadata === undefined ? {} : { messageMetadata: message.metadata }),
  };
  return [start, ...message.parts.flatMap((part, at) => chunksOfPart(part, at, openIds.get(at)))];
}

function chunksOfPart(part: Part, at: number, openId: string | undefined): UIMessageChunk[] {
  if (part.type === "step-start") return [{ type: "start-step" }];
  if (part.type === "text" || part.type === "reasoning") return chunksOfText(part, at, openId);
  if ("toolCallId" in part) return chunksOfTool(part);
  // Data, files and sources are their own chunks.
  return [part as UIMessageChunk];
}

function chunksOfText(part: TextPart, at: number, openId: string | undefined): UIMessageChunk[] {
  const own = "id" in part && typeof part.id === "string" ? part.id : `part-${at}`;
  const id = openId ?? own;
  const { type } = part;
  const metadata = part.providerMetadata === undefined ? {} : { providerMetadata: part.providerMetadata };
  const begun: UIMessageChunk[] = [{ type: `${type}-start`, id, ...metadata }];
  if (part.text !== "") begun.push({ type: `${type}-delta`, id, delta: part.text });
  return openId === undefined ? [...begun, { type: `${type}-end`, id }] : begun;
}

function chunksOfTool(part: ToolPart): UIMessageChunk[] {
  const { toolCallId } = part;
  const call = callOf(part);
  if (part.state === "input-streaming") return [{ type: "tool-input-start", ...call }, ...rawInputOf(part)];
  const input: UIMessageChunk = { type: "tool-input-available", ...call, input: inputOf(part) };
  switch (part.state) {
    case "output-available": {
      const { output, preliminary } = part;
      return [
        input,
        { type: "tool-output-available", toolCallId, output, ...(preliminary === undefined ? {} : { preliminary }) },
      ];
    }
    case "output-error":
      return [input, { type: "tool-output-error", toolCallId, errorText: part.errorText }];
    case "output-denied":
      return [input, { type: "tool-output-denied", toolCallId }];
    case "approval-requested":
      return [input, { type: "tool-approval-request", toolCallId, approvalId: part.approval.id }];
    default:
      return [input];
  }
}

function callOf(part: ToolPart) {
  const isDynamic = part.type === "dynamic-tool";
  return {
    toolCallId: part.toolCallId,
    toolName: isDynamic ? part.toolName : part.type.slice("tool-".length),
    ...(isDynamic ? { dynamic: true } : {}),
    ...(part.title === undefined ? {} : { title: part.title }),
    ...(part.providerExecuted === undefined ? {} : { providerExecuted: part.providerExecuted }),
    ...("callProviderMetadata" in part && part.callProviderMetadata !== undefined
      ? { providerMetadata: part.callProviderMetadata }
      : {}),
  };
}

/** The input as the model wrote it, where storage keeps that beside the object it made of it. */
function inputOf(part: ToolPart): unknown {
  return "rawInput" in part && part.rawInput !== undefined ? part.rawInput : part.input;
}

/** The text of an input that is still arriving. */
function rawInputOf(part: ToolPart): UIMessageChunk[] {
  const raw = "rawInput" in part ? part.rawInput : undefined;
  return typeof raw === "string" && raw !== ""
    ? [{ type: "tool-input-delta", toolCallId: part.toolCallId, inputTextDelta: raw }]
    : [];
}
