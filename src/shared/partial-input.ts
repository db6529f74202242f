/**
 * Inputs of tool calls that are still arriving. The raw text stands on the part
 * as `rawInput`; parsing all of it on every delta would be quadratic, so it is
 * parsed when it has grown by half, and once more when somebody needs it whole.
 */
import type { MessagePart } from "./message-parts.ts";
import { isToolPart } from "./message-parts.ts";
import { parseJson } from "./parse-json.ts";
import { closeJson } from "./partial-json.ts";

/** Whether text of `length` UTF-16 units is worth parsing again after `parsedLength` of it was parsed. */
export function isDueForParsing(length: number, parsedLength: number): boolean {
  return length >= parsedLength * 1.5 && length > parsedLength;
}

/** The value that `text`, a prefix of a JSON value, tells so far; `undefined` if it tells none. Never throws. */
export function parsePartialJson(text: string): unknown {
  const whole = parseJson(text);
  return whole === undefined ? parseJson(closeJson(text)) : whole;
}

/** A call whose input still streams, with `input` made of all its `rawInput`; any other part as it is. */
export function withParsedInput(part: MessagePart): MessagePart {
  if (!isToolPart(part) || part.state !== "input-streaming" || part.rawInput === undefined) return part;
  return { ...part, input: part.inputEncoding === "text" ? part.rawInput : parsePartialJson(part.rawInput) };
}
