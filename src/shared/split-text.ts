/** Cuts long text into pieces that fit a row, losslessly: `pieces.join("")` is the text. */
import { utf8Bytes } from "./json-limits.ts";

/** Largest piece of text kept in one row, in bytes of UTF-8; the platform's limit for a row is about 2 MB. */
export const MAX_ROW_TEXT_BYTES = 1_500_000;

/** Pieces of at most `maxBytes` bytes of UTF-8 each; a surrogate pair is never cut. */
export function splitText(text: string, maxBytes: number = MAX_ROW_TEXT_BYTES): string[] {
  if (text.length * 3 <= maxBytes || utf8Bytes(text) <= maxBytes) return [text];
  const pieces: string[] = [];
  // A UTF-16 unit takes at most 3 bytes, so this many units always fit.
  const units = Math.max(2, Math.floor(maxBytes / 3));
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + units, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
