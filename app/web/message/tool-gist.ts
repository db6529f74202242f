/** A tool call in a few words, for the folded line. Pure. */
import type { ToolPart } from "troupe/client";

/** Longer values, and more of them, are cut, in characters. */
const MAX_VALUE = 60;
const MAX_GIST = 200;

/** What went in, by name, and what came out beyond that: `count 2, sides 6 → rolls 2, 5, total 7`. Of a failure what it says. */
export function gistOf(part: ToolPart): string {
  if (part.state === "output-error") return part.errorText;
  const input = inputGist(part.input);
  if (part.state !== "output-available") return input;
  const known = fieldsOf(part.input);
  const output = fieldsOf(part.output).filter((field) => !known.includes(field));
  return cut([input, output.join(", ")].filter((text) => text !== "").join(" → "), MAX_GIST);
}

/** What went in, by name. */
export function inputGist(input: unknown): string {
  return cut(fieldsOf(input).join(", "), MAX_GIST);
}

function fieldsOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== "object" || Array.isArray(value)) return [shortOf(value)];
  return Object.entries(value).map(([name, field]) => `${name} ${shortOf(field)}`);
}

function shortOf(value: unknown): string {
  const isFlat = Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null);
  return cut(isFlat ? value.map(textOf).join(", ") : textOf(value), MAX_VALUE);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
