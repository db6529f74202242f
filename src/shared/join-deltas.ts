/**
 * Neighbouring deltas of one part mean the same as one delta with their text
 * joined. Everything that stores or sends chunks joins them by these rules.
 */
import type { UIMessageChunk } from "ai";

/** A chunk that adds text to a part: an answer, a reasoning or a tool input. */
type DeltaChunk = Extract<UIMessageChunk, { type: "text-delta" | "reasoning-delta" | "tool-input-delta" }>;

/** The text a delta adds, or null for every other chunk, and for a delta that came without its text. */
export function deltaOf(chunk: UIMessageChunk): string | null {
  switch (chunk.type) {
    case "text-delta":
    case "reasoning-delta":
      return textOrNull(chunk.delta);
    case "tool-input-delta":
      return textOrNull(chunk.inputTextDelta);
    default:
      return null;
  }
}

/** The same delta with other text. Chunks that are no deltas come back as they are. */
export function withDelta(chunk: UIMessageChunk, text: string): UIMessageChunk {
  switch (chunk.type) {
    case "text-delta":
    case "reasoning-delta":
      return { ...chunk, delta: text };
    case "tool-input-delta":
      return { ...chunk, inputTextDelta: text };
    default:
      return chunk;
  }
}

/**
 * One chunk that folds to the same message as `a` followed by `b`, or null when
 * they must stay apart: other parts, other kinds, or provider metadata on either.
 */
export function joinChunks(a: UIMessageChunk, b: UIMessageChunk): UIMessageChunk | null {
  if (!isDelta(a) || !isDelta(b) || a.type !== b.type || partOf(a) !== partOf(b)) return null;
  if (hasMetadata(a) || hasMetadata(b)) return null;
  return withDelta(a, `${deltaOf(a) ?? ""}${deltaOf(b) ?? ""}`);
}

/** Chunks come from user code too, which may not keep their type. */
function textOrNull(text: unknown): string | null {
  return typeof text === "string" ? text : null;
}

function isDelta(chunk: UIMessageChunk): chunk is DeltaChunk {
  return deltaOf(chunk) !== null;
}

/** The part that the delta grows, among those of its kind. */
function partOf(chunk: DeltaChunk): string {
  return chunk.type === "tool-input-delta" ? chunk.toolCallId : chunk.id;
}

function hasMetadata(chunk: DeltaChunk): boolean {
  return chunk.type !== "tool-input-delta" && chunk.providerMetadata !== undefined;
}
