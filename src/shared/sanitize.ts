/** What is taken off a message before it is stored, and what must never be. */
import type { UIMessage } from "ai";
import type { MessagePart, ToolPart } from "./message-parts.ts";
import { isToolPart, mapParts } from "./message-parts.ts";

type Fields = Readonly<Record<string, unknown>>;

const METADATA_FIELDS = ["providerMetadata", "callProviderMetadata", "resultProviderMetadata"] as const;
/** The names under which OpenAI's models sign their parts. */
const OPENAI_NAMES: ReadonlySet<string> = new Set(["openai", "azure"]);
/** A reasoning item and what follows it refer to each other by these; one without the other is refused. */
const OPENAI_FIELDS = ["itemId", "reasoningEncryptedContent"] as const;

/**
 * The message without the references OpenAI needs to find items it stored
 * itself (`itemId`, `reasoningEncryptedContent`): from every part at once, as
 * they count in pairs. Metadata left empty goes, and empty reasoning without
 * any. For prompts that do not replay stored items; the same message when
 * nothing changes.
 */
export function sanitizeMessage(message: UIMessage): UIMessage {
  return mapParts(message, (part) => withoutEmptyReasoning(withoutOpenAIReferences(part)));
}

/**
 * The message as it is stored. Provider metadata stays as it came, byte for
 * byte: signatures, item ids and encrypted content are needed to replay it.
 * Goes: reasoning without text and metadata. Becomes an object: the input of
 * every call that is no longer streaming, because providers refuse any other;
 * text that is the JSON of an object is parsed, everything else becomes `{}`
 * and is kept as `rawInput`. The same message when nothing changes.
 */
export function sanitizeForStorage(message: UIMessage): UIMessage {
  return mapParts(message, (part) => withObjectInput(withoutEmptyReasoning(part)));
}

function withoutOpenAIReferences(part: MessagePart): MessagePart {
  const fields = part as Fields;
  const cleaned = METADATA_FIELDS.filter((field) => field in fields)
    .map((field) => [field, withoutReferences(fields[field])] as const)
    .filter(([field, metadata]) => metadata !== fields[field]);
  if (cleaned.length === 0) return part;
  const next: Record<string, unknown> = { ...fields, ...Object.fromEntries(cleaned) };
  for (const [field, metadata] of cleaned) if (metadata === undefined) delete next[field];
  return next as MessagePart;
}

/** The metadata without references, `undefined` when nothing is left of it, the same object when it had none. */
function withoutReferences(metadata: unknown): unknown {
  if (!isObject(metadata)) return metadata;
  const entries = Object.entries(metadata);
  const cleaned = entries.map(
    ([provider, value]) => [provider, OPENAI_NAMES.has(provider) ? strip(value) : value] as const,
  );
  if (cleaned.every(([, value], index) => value === entries[index]?.[1])) return metadata;
  const left = cleaned.filter(([, value]) => value !== undefined);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

function strip(value: unknown): unknown {
  if (!isObject(value) || !OPENAI_FIELDS.some((field) => field in value)) return value;
  const rest: Record<string, unknown> = { ...value };
  for (const field of OPENAI_FIELDS) delete rest[field];
  return Object.keys(rest).length === 0 ? undefined : rest;
}

function withoutEmptyReasoning(part: MessagePart | null): MessagePart | null {
  const isEmpty = part?.type === "reasoning" && part.text.trim() === "" && !hasEntries(part.providerMetadata);
  return isEmpty ? null : part;
}

function withObjectInput(part: MessagePart | null): MessagePart | null {
  if (!part || !isToolPart(part) || part.state === "input-streaming" || isObject(part.input)) return part;
  const raw: unknown = part.input;
  return { ...part, input: objectOf(raw) ?? {}, ...rawInputOf(part, raw) } as MessagePart;
}

/** The raw input worth keeping: none when there was none, or when it was parsed into the object. */
function rawInputOf(part: ToolPart, raw: unknown): Fields {
  return raw === undefined || objectOf(raw) !== undefined || "rawInput" in part ? {} : { rawInput: raw };
}

function objectOf(raw: unknown): Fields | undefined {
  if (typeof raw !== "string") return undefined;
  try {
    const value = JSON.parse(raw) as unknown;
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function hasEntries(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
