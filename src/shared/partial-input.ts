/**
 * Inputs of tool calls that are still arriving. The raw text stands on the part
 * as `rawInput`; parsing all of it on every delta would be quadratic, so it is
 * parsed when it has grown by half, and once more when somebody needs it whole.
 */
import { Allow, parse } from "partial-json";
import type { MessagePart } from "./message-parts.ts";
import { isToolPart } from "./message-parts.ts";

/** What JSON itself can be cut in; `NaN` and `Infinity` are not JSON. */
const CUT_ANYWHERE = Allow.STR | Allow.NUM | Allow.ARR | Allow.OBJ | Allow.NULL | Allow.BOOL;

/** Whether text of `length` UTF-16 units is worth parsing again after `parsedLength` of it was parsed. */
export function isDueForParsing(length: number, parsedLength: number): boolean {
  return length >= parsedLength * 1.5 && length > parsedLength;
}

/** The value that `text`, a prefix of a JSON value, tells so far; `undefined` if it tells none. Never throws. */
export function parsePartialJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return parsePrefix(text);
    return undefined;
  }
}

function parsePrefix(text: string): unknown {
  try {
    return parse(text, CUT_ANYWHERE) as unknown;
  } catch (error) {
    // Text that is no JSON, or nested deeper than the stack: either way it tells nothing.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** A call whose input still streams, with `input` made of all its `rawInput`; any other part as it is. */
export function withParsedInput(part: MessagePart): MessagePart {
  if (!isToolPart(part) || part.state !== "input-streaming" || part.rawInput === undefined) return part;
  return { ...part, input: part.inputEncoding === "text" ? part.rawInput : parsePartialJson(part.rawInput) };
}
