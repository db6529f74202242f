/** Makes a message fit one row of SQLite (2 MB) by shortening what is longest-lived and least missed: old tool outputs, then old text. */
import type { UIMessage } from "ai";
import { utf8Bytes } from "./json-limits.ts";
import type { MessagePart } from "./message-parts.ts";
import { isToolPart } from "./message-parts.ts";

/** Default limit of a stored message, in bytes of UTF-8 of its JSON. */
export const ROW_MAX_BYTES = 1_800_000;
/** Outputs and texts up to this many characters are never shortened. */
const KEPT_CHARS = 1_000;
const PREVIEW_CHARS = 500;

/**
 * The message within `maxBytes`: outputs of tools over 1,000 characters become
 * a marker with the first 500, oldest first, until it fits; if it still does
 * not, texts likewise. What other parts and metadata weigh stays, so a message
 * can remain over the limit. The same message when it fits.
 */
export function enforceRowSizeLimit(message: UIMessage, maxBytes: number = ROW_MAX_BYTES): UIMessage {
  let bytes = jsonBytes(message);
  if (bytes <= maxBytes) return message;
  const parts = [...message.parts];
  for (const shorten of [shortenOutput, shortenText]) {
    for (let index = 0; index < parts.length && bytes > maxBytes; index++) {
      const part = parts[index] as MessagePart;
      const shorter = shorten(part);
      if (shorter === part) continue;
      bytes += jsonBytes(shorter) - jsonBytes(part);
      parts[index] = shorter;
    }
  }
  return { ...message, parts };
}

function shortenOutput(part: MessagePart): MessagePart {
  if (!isToolPart(part) || part.state !== "output-available") return part;
  const text = typeof part.output === "string" ? part.output : (JSON.stringify(part.output) ?? "");
  return text.length > KEPT_CHARS ? ({ ...part, output: marker("Tool output", text) } as MessagePart) : part;
}

function shortenText(part: MessagePart): MessagePart {
  return part.type === "text" && part.text.length > KEPT_CHARS ? { ...part, text: marker("Text", part.text) } : part;
}

function marker(what: string, text: string): string {
  // A preview may end inside a pair of surrogates; half a pair is not text.
  const preview = text.slice(0, PREVIEW_CHARS).toWellFormed();
  return `[${what} of ${text.length} characters shortened to fit its row] ${preview}…`;
}

function jsonBytes(value: unknown): number {
  return utf8Bytes(JSON.stringify(value));
}
