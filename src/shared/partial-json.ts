/**
 * JSON that is still arriving: closes what a prefix has left open. One scan,
 * no recursion, so that depth costs nothing. Small on purpose: a page loads it.
 */
import { endOfString, isEscaped } from "./json-limits.ts";

const SCALAR = /[^\s,:[\]{}"]+/y;
const LITERALS = ["true", "false", "null"];

/**
 * `text`, a prefix of a JSON value, as the JSON of what it tells so far; `""`
 * if it tells nothing. Strings are cut where they stop, numbers and words count
 * as far as they are one, a key without its value does not. Text that is no
 * JSON stays none.
 */
export function closeJson(text: string): string {
  const closers: string[] = [];
  let whole = 0;
  let rest = "";
  let isKey = false;
  for (let at = 0; at < text.length;) {
    const char = text[at] as string;
    if (char === '"') {
      const end = endOfString(text, at);
      if (end === text.length && !isKey) [whole, rest] = [endOfText(text, at), '"'];
      at = end + 1;
      if (end < text.length && !isKey) whole = at;
    } else if ("{[}]".includes(char)) {
      isKey = char === "{";
      if (isKey || char === "[") closers.push(isKey ? "}" : "]");
      else closers.pop();
      whole = ++at;
    } else if (",: \n\r\t".includes(char)) {
      if (char === "," || char === ":") isKey = char === "," && closers.at(-1) === "}";
      at++;
    } else {
      SCALAR.lastIndex = at;
      const scalar = SCALAR.exec(text)?.[0] ?? char;
      const isLast = at + scalar.length >= text.length;
      rest = isLast ? scalarSoFar(scalar) : "";
      if (!isLast || rest !== "") whole = isLast ? at : at + scalar.length;
      at += scalar.length;
    }
  }
  return text.slice(0, whole) + rest + closers.toReversed().join("");
}

/** Where the text of an unfinished string ends, a started escape left out. */
function endOfText(text: string, start: number): number {
  const from = Math.max(start, text.length - 5);
  const unicode = text.slice(from).search(/\\u[\da-f]{0,3}$/i);
  if (unicode !== -1 && !isEscaped(text, from + unicode)) return from + unicode;
  return isEscaped(text, text.length) ? text.length - 1 : text.length;
}

/** The word that has begun, or the number up to its last digit; `""` for neither. */
function scalarSoFar(scalar: string): string {
  const literal = LITERALS.find((word) => word.startsWith(scalar));
  return literal ?? /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/i.exec(scalar)?.[0] ?? "";
}
