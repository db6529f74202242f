/** Limits on JSON text before it is parsed: bytes of UTF-8 and depth of nesting, both in one linear scan without recursion. */

const encoder = new TextEncoder();

/** Length of `text` in bytes of UTF-8. */
export function utf8Bytes(text: string): number {
  // Most frames are short and of plain letters; a look at them is several times faster than encoding.
  return text.length < 1_024 && !/[^ -~]/.test(text) ? text.length : encoder.encode(text).byteLength;
}

/** Whether `text` has more bytes of UTF-8 than that; far from the limit without counting them. */
export function isLarger(text: string, maxBytes: number): boolean {
  return text.length > maxBytes || (text.length * 3 > maxBytes && utf8Bytes(text) > maxBytes);
}

export interface JsonProblem {
  readonly code: "bad_request" | "too_large";
  readonly text: string;
}

/** What makes `json` unacceptable before parsing, or null. */
export function jsonProblem(json: string, maxBytes: number, maxDepth: number): JsonProblem | null {
  if (isLarger(json, maxBytes)) {
    return { code: "too_large", text: `over the limit of ${maxBytes} bytes` };
  }
  if (isDeeper(json, maxDepth)) return { code: "bad_request", text: `nested deeper than ${maxDepth} levels` };
  return null;
}

function isDeeper(json: string, maxDepth: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case 0x22: // a string: skip to its closing quote
        at = endOfString(json, at);
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > maxDepth) return true;
        break;
      case 0x5d:
      case 0x7d:
        depth--;
        break;
      default:
        break;
    }
  }
  return false;
}

/** Where the string that begins at `start` has its closing quote; the length of `json` when it has none. */
export function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end;
}

/** Whether an odd number of backslashes stands before `at`. */
export function isEscaped(json: string, at: number): boolean {
  let slashes = 0;
  while (json.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
  return slashes % 2 === 1;
}
