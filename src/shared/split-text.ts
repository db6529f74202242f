/** Cuts long text into pieces that fit a row, losslessly: `pieces.join("")` is the text. */
import { utf8Bytes } from "./json-limits.ts";

/** Largest piece of text kept in one row, in bytes of UTF-8; the platform's limit for a row is about 2 MB. */
export const MAX_ROW_TEXT_BYTES = 1_500_000;

const encoder = new TextEncoder();

/** As few pieces as fit into `maxBytes` (at least 4) bytes of UTF-8 each; a surrogate pair is never cut. */
export function splitText(text: string, maxBytes: number = MAX_ROW_TEXT_BYTES): string[] {
  if (text.length * 3 <= maxBytes || utf8Bytes(text) <= maxBytes) return [text];
  const pieces: string[] = [];
  const space = new Uint8Array(Math.max(4, maxBytes));
  for (let start = 0; start < text.length;) {
    // Takes whole characters while they fit. A pair cut by `slice` is not taken: its half would need 3 bytes, and 1 is left.
    const { read } = encoder.encodeInto(text.slice(start, start + space.length), space);
    pieces.push(text.slice(start, start + read));
    start += read;
  }
  return pieces;
}
