/**
 * Inputs of tool calls that are still arriving. The raw text stands on the part
 * as `rawInput`; parsing all of it on every delta would be quadratic, so it is
 * parsed when it has grown by half, and once more when somebody needs it whole.
 */
import type { MessagePart } from "./message-parts.ts";
import { isToolPart } from "./message-parts.ts";
import { closeJson } from "./partial-json.ts";

/** Whether text of `length` UTF-16 units is worth parsing again after `parsedLength` of it was parsed. */
export function isDueForParsing(length: number, parsedLength: number): boolean {
  return length >= parsedLength * 1.5 && length > parsedLength;
}

/** The value that `text`, a prefix of a JSON value, tells so far; `undefined` if it tells none. Never throws. */
export function parsePartialJson(text: string): unknown {
  const whole = parse(text);
  return whole === undefined ? parse(closeJson(text)) : whole;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // Text that is no JSON, or nested deeper than the stack: either way it tells nothing.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A call whose input still streams, with `input` made of all its `rawInput`; any other part as it is. */
export function withParsedInput(part: MessagePart): MessagePart {
  if (!isToolPart(part) || part.state !== "input-streaming" || part.rawInput === undefined) return part;
  return { ...part, input: part.inputEncoding === "text" ? part.rawInput : parsePartialJson(part.rawInput) };
}
