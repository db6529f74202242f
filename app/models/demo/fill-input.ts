/**
 * Fills the input of any tool from a sentence, as well as a script can.
 *
 * Each property looks for evidence of its own kind: a value with its label, a
 * word of its enum, a time zone, an expression, a path, a number next to a word
 * that describes it. A piece of evidence is used once.
 */
import type { JSONSchema7 } from "ai";
import type { ToolInput } from "./beats.ts";
import { expressionsIn, finder, numbersIn, quotedIn, saysWord, stems, timeZonesIn } from "./words.ts";

export interface Filled {
  readonly input: ToolInput;
  /** How many properties the sentence had evidence for. */
  readonly hits: number;
  /** Required properties that got a default, or the bare sentence, for want of evidence. */
  readonly guessed: readonly string[];
}

/** What has been used: texts, and the positions of numbers. */
type Used = Set<string | number>;
interface Property {
  readonly name: string;
  readonly schema: JSONSchema7;
  readonly text: string;
  readonly used: Used;
}

/** Fills `schema`, an object schema, from `text`. */
export function fillInput(schema: JSONSchema7, text: string): Filled {
  const used: Used = new Set();
  const input: ToolInput = {};
  const guessed: string[] = [];
  let hits = 0;
  for (const [name, definition] of Object.entries(schema.properties ?? {})) {
    const property = { name, schema: plainSchema(definition), text, used };
    const found = evidence(property);
    if (found !== undefined) hits += 1;
    if (found !== undefined) input[name] = found;
    else if (schema.required?.includes(name)) {
      input[name] = guess(property);
      if (property.schema.default === undefined) guessed.push(name);
    }
  }
  return { input, hits, guessed };
}

/** Looks through `anyOf`, `oneOf` and nullable types to the schema that counts. */
function plainSchema(definition: JSONSchema7 | boolean): JSONSchema7 {
  if (typeof definition === "boolean") return {};
  const options = definition.anyOf ?? definition.oneOf;
  const option = options?.find((entry) => typeof entry === "object" && entry.type !== "null");
  return option === undefined ? definition : { ...definition, ...plainSchema(option) };
}

function typeOf(schema: JSONSchema7): string {
  const types = [schema.type ?? "string"].flat();
  return types.find((type) => type !== "null") ?? "string";
}

function evidence(property: Property): unknown {
  const { schema, text } = property;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum.find((word) => saysWord(text, String(word)));
  return evidenceByType[typeOf(schema)]?.(property);
}

const evidenceByType: Readonly<Record<string, (property: Property) => unknown>> = {
  string: findString,
  number: findNumber,
  integer: (property) => {
    const value = findNumber(property);
    return value === undefined ? undefined : Math.round(value);
  },
  boolean: ({ name, text }) => {
    if (!saysWord(text, name)) return undefined;
    return !["no", "not", "without", "off"].some((negation) => saysWord(text, `${negation} ${name}`));
  },
  array: ({ schema, text, used }) => {
    const items = plainSchema([schema.items ?? {}].flat()[0] ?? {});
    const isNumeric = /number|integer/.test(typeOf(items));
    const found = isNumeric ? numbersIn(text).map(({ value }) => value) : quotedIn(text);
    for (const item of found) used.add(item);
    return found.length > 0 ? found : undefined;
  },
  object: ({ schema, text }) => {
    const filled = fillInput(schema, text);
    return filled.hits > 0 ? filled.input : undefined;
  },
};

/** Kinds of text, by what the property's name and description say. The first that fits decides. */
const stringKinds: readonly { readonly says: RegExp; readonly find: (text: string) => string[] }[] = [
  { says: /time.?zone|\btz\b/i, find: timeZonesIn },
  { says: /expression|formula/i, find: expressionsIn },
  { says: /\bur[il]\b|\blink\b/i, find: finder(/https?:\/\/[^\s"'<>]+/g) },
  { says: /e-?mail/i, find: finder(/[\w.+-]+@[\w-]+\.[\w.-]+\w/g) },
  {
    says: /\bpath\b|\bfile\b|folder|directory/i,
    find: finder(/(?<![\w:])(?:\/?[\w.-]+\/)*[\w-]+\.\w+|(?<![\w:/])\/[\w./-]*/g),
  },
  { says: /\bdate\b|\bday\b/i, find: finder(/\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?/g) },
  {
    says: /city|location|place|country/i,
    find: finder(/\b(?:in|at|for|near|of)\s+(\p{Lu}[\p{L}'-]*(?:\s\p{Lu}[\p{L}'-]*)*)/gu),
  },
];

function findString({ name, schema, text, used }: Property): string | undefined {
  const label = [...text.matchAll(/(\w+)\s*[:=]\s*(?:"([^"]*)"|(\S+))/g)].find((match) => match[1] === name);
  const labelled = label?.[2] ?? label?.[3];
  if (labelled !== undefined) return labelled;
  const kind = stringKinds.find(({ says }) => says.test(`${name} ${schema.format ?? ""} ${schema.description ?? ""}`));
  return take(kind?.find(text) ?? quotedIn(text), used);
}

/** A number beside a word of the property's name or description; else the first one that nobody has used. */
function findNumber({ name, schema, text, used }: Property): number | undefined {
  const words = new Set(stems(`${name} ${schema.description ?? ""}`));
  const free = numbersIn(text).filter(({ position }) => !used.has(position));
  const labelled = free.find(({ after }) => words.has(after)) ?? free.find(({ before }) => words.has(before));
  // With a default at hand, a number that names something else is left alone.
  const chosen = labelled ?? free.find(({ after }) => after === "" || schema.default === undefined);
  if (chosen) used.add(chosen.position);
  return chosen?.value;
}

function take(candidates: readonly string[], used: Used): string | undefined {
  const found = candidates.find((candidate) => !used.has(candidate));
  if (found !== undefined) used.add(found);
  return found;
}

function guess({ schema, text }: Property): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  switch (typeOf(schema)) {
    case "number":
    case "integer":
      return schema.minimum ?? 1;
    case "boolean":
      return false;
    case "array":
      return [];
    case "object":
      return fillInput(schema, text).input;
    default:
      return text.trim().replace(/[.?!]+$/, "");
  }
}
