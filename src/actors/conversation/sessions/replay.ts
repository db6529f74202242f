/**
 * The one read path of a stream: catch up after a seq, from the StreamBuffer
 * and then from what is still in memory.
 */
import type { UIMessage, UIMessageChunk } from "ai";
import { errorText } from "../../../shared/errors.ts";
import type { FoldState } from "../../../shared/apply-chunk.ts";
import { logWarning } from "../../../shared/platform/log.ts";
import type { ChunkEntry, StreamBufferContract } from "../../stream-buffer/contract.ts";
import type { SegmentWriter } from "../turn/segment-writer.ts";

export interface StreamSource {
  readonly streamId: string;
  readonly buffer: Pick<StreamBufferContract, "read">;
  /** The writer while the stream runs; null for one that has ended. */
  readonly writer: Pick<SegmentWriter, "lastSeq" | "storedSeq" | "tail"> | null;
  /** The message as it is now, with its open parts: what to replay when the buffer cannot be read. */
  fold(): Pick<FoldState, "message" | "open"> | null;
}

/**
 * Delivers every entry after `after` in order and returns the last seq.
 * `attach` is called in the same synchronous stretch as the last delivery, when
 * nothing that the writer has is missing: who attaches there to the running
 * stream misses nothing and gets nothing twice. Never rejects.
 */
export async function catchUp(
  source: StreamSource,
  after: number,
  deliver: (entries: readonly ChunkEntry[]) => void,
  attach: (seq: number) => void = () => undefined,
): Promise<number> {
  let seq = after;
  const take = (entries: readonly ChunkEntry[]): void => {
    if (entries.length > 0) deliver(entries);
    seq = entries.at(-1)?.to ?? seq;
  };
  try {
    for (;;) {
      const before = seq;
      if (source.writer !== null && seq >= source.writer.storedSeq) break;
      const page = await source.buffer.read({ streamId: source.streamId, after: seq });
      take(page.entries);
      if (seq === before || (!page.more && source.writer === null)) break;
    }
  } catch (error) {
    logWarning("stream.replay-from-message", { streamId: source.streamId, error: errorText(error) });
    take(snapshot(source.fold(), source.writer?.lastSeq ?? seq));
  }
  take(source.writer?.tail(seq) ?? []);
  attach(seq);
  return seq;
}

/** The whole message as the last entries up to `seq`, for a reader that starts again from nothing. */
function snapshot(fold: Pick<FoldState, "message" | "open"> | null, seq: number): ChunkEntry[] {
  const chunks = fold === null ? [] : chunksOfMessage(fold.message, fold.open);
  return chunks.map((chunk, at) => {
    const place = Math.max(1, seq - (chunks.length - 1 - at));
    return { from: place, to: place, chunk };
  });
}

/** Chunks that fold to `message`: the compact form of its stream. Parts that are `open` keep their ids, so that what follows finds them. */
export function chunksOfMessage(message: UIMessage, open: FoldState["open"] = new Map()): UIMessageChunk[] {
  const ids = new Map([...open].map(([key, at]) => [at, key.slice(key.indexOf(":") + 1)]));
  const parts = message.parts.flatMap((part, at) => chunksOfPart(part, ids.get(at) ?? `part-${at}`));
  return [{ type: "start", messageId: message.id }, ...parts];
}

function chunksOfPart(part: UIMessage["parts"][number], id: string): UIMessageChunk[] {
  if (part.type === "step-start") return [{ type: "start-step" }];
  if (part.type === "text") {
    const open = [{ type: "text-start", id } as const, { type: "text-delta", id, delta: part.text } as const];
    return part.state === "streaming" ? open : [...open, { type: "text-end", id }];
  }
  if (part.type === "reasoning") {
    const open = [{ type: "reasoning-start", id } as const, { type: "reasoning-delta", id, delta: part.text } as const];
    return part.state === "streaming" ? open : [...open, { type: "reasoning-end", id }];
  }
  if ("toolCallId" in part) return chunksOfTool(part);
  return part.type.startsWith("data-") || part.type === "file" || part.type.startsWith("source-")
    ? [part as UIMessageChunk]
    : [];
}

type ToolPart = Extract<UIMessage["parts"][number], { toolCallId: string }>;

function chunksOfTool(part: ToolPart): UIMessageChunk[] {
  const { toolCallId } = part;
  const dynamic = part.type === "dynamic-tool";
  const toolName = dynamic ? part.toolName : part.type.slice("tool-".length);
  const call = { toolCallId, toolName, ...(dynamic ? { dynamic } : {}) };
  if (part.state === "input-streaming") return [{ type: "tool-input-start", ...call }];
  const input: UIMessageChunk = { type: "tool-input-available", ...call, input: part.input };
  if (part.state === "output-available")
    return [input, { type: "tool-output-available", toolCallId, output: part.output }];
  if (part.state === "output-error")
    return [input, { type: "tool-output-error", toolCallId, errorText: part.errorText }];
  return [input];
}
