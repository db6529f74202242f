/**
 * The default prompt: the window as model messages, with old results of server
 * tools left out in pairs and single values bounded. Storage keeps everything;
 * only what the model sees gets shorter.
 */
import { convertToModelMessages, type ModelMessage, pruneMessages, type ToolSet, type UIMessage } from "ai";
import { mapParts } from "../../../shared/message-parts.ts";
import { withReadableFiles } from "./readable-files.ts";

/** Longest text that a prompt carries in one piece, in characters; what is longer is cut with a marker. */
export const MAX_PROMPT_TEXT_CHARS = 200_000;
/** Longest tool output that a prompt carries, in characters of its JSON; strings and lists inside are cut, the shape stays. */
export const MAX_PROMPT_OUTPUT_CHARS = 100_000;

/** Stands in a prompt for a user message that has nothing for a model. */
const EMPTY_MESSAGE = "(a message without text)";

/** Model messages for `messages`. `tools` tells which results may be dropped: those with `execute`; what a person answered stays. */
export async function promptOf(messages: readonly UIMessage[], tools: ToolSet): Promise<ModelMessage[]> {
  const converted = await convertToModelMessages(
    messages.map((message) => withReadableFiles(withoutRawInput(message))),
    {
      tools,
      ignoreIncompleteToolCalls: true,
    },
  );
  const prompt = converted.map(withContent);
  const serverTools = Object.keys(tools).filter((name) => tools[name]?.execute !== undefined);
  const pruned =
    serverTools.length === 0
      ? prompt
      : pruneMessages({ messages: prompt, toolCalls: [{ type: "before-last-2-messages", tools: serverTools }] });
  return boundPrompt(pruned);
}

/**
 * The prompt as providers take it: over-long texts and tool outputs cut, an
 * object for the input of every call, and nothing that is empty. Messages that
 * fit keep their identity, and so what was bounded once stays as it is.
 */
export function boundPrompt(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.flatMap((message) => {
    if (typeof message.content === "string") {
      const content = cut(message.content, MAX_PROMPT_TEXT_CHARS);
      return content === message.content ? [message] : [{ ...message, content } as ModelMessage];
    }
    const content = message.content.filter((part) => !isEmptyText(part)).map(boundPart);
    if (content.length === 0) return [];
    const isSame =
      content.length === message.content.length &&
      content.every((part, at) => part === (message.content as readonly unknown[])[at]);
    return isSame ? [message] : [{ ...message, content } as ModelMessage];
  });
}

/** No provider takes a user message of nothing, such as one of data or blank text alone. */
function withContent(message: ModelMessage): ModelMessage {
  if (message.role !== "user" || typeof message.content === "string") return message;
  const isEmpty = message.content.every((part) => part.type === "text" && part.text === "");
  return isEmpty ? { ...message, content: [{ type: "text", text: EMPTY_MESSAGE }] } : message;
}

/** Text of an answer that was cut before its first word. */
function isEmptyText(part: ContentPart): boolean {
  return part.type === "text" && part.text === "" && part.providerOptions === undefined;
}

type ContentPart = Exclude<ModelMessage["content"], string>[number];

function boundPart(part: ContentPart): ContentPart {
  if (part.type === "text" && part.text.length > MAX_PROMPT_TEXT_CHARS) {
    return { ...part, text: cut(part.text, MAX_PROMPT_TEXT_CHARS) };
  }
  if (part.type === "tool-call") return withObjectInput(part);
  if (part.type !== "tool-result") return part;
  const { output } = part;
  if (output.type === "text" && output.value.length > MAX_PROMPT_OUTPUT_CHARS) {
    return { ...part, output: { ...output, value: cut(output.value, MAX_PROMPT_OUTPUT_CHARS) } };
  }
  if (output.type !== "json") return part;
  const value = fitting(output.value, MAX_PROMPT_OUTPUT_CHARS);
  return value === output.value ? part : { ...part, output: { ...output, value: value as typeof output.value } };
}

/** Within a turn the SDK hands on what a model wrote as the input of a call; providers refuse anything but an object. */
function withObjectInput(part: Extract<ContentPart, { type: "tool-call" }>): ContentPart {
  const { input } = part;
  return typeof input === "object" && input !== null && !Array.isArray(input) ? part : { ...part, input: {} };
}

/** What a model wrote where an object belongs is kept for people; no provider accepts it back. */
function withoutRawInput(message: UIMessage): UIMessage {
  return mapParts(message, (part) => {
    if (!("rawInput" in part)) return part;
    const { rawInput: _, ...rest } = part;
    return rest as typeof part;
  });
}

/** Most tries at a shape that shrinks slowly. */
const MAX_TRIES = 8;

/** The value itself when its JSON fits, else one of the same shape, cut until it fits or nothing is left to cut. */
function fitting(value: unknown, chars: number): unknown {
  const length = lengthOf(value);
  if (length <= chars) return value;
  // A list that was cut has paid its share, until it shows that this is not enough.
  const share = (tries: number) => (chars / length) * 0.8 ** tries;
  let shrunk = shrink(value, share(0), false);
  for (let tries = 1, before = length; tries < MAX_TRIES; tries++) {
    const now = lengthOf(shrunk);
    if (now <= chars || (now === before && tries > 2)) break;
    before = now;
    shrunk = shrink(value, share(tries), true);
  }
  return shrunk;
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

/** Shorter strings and lists than these stay whole. */
const MIN_CHARS = 200;
const MIN_ITEMS = 10;

/**
 * A value of the same shape whose strings and lists keep about `share` of their length, with notes of what was left out.
 * `deep`: also inside what a list that was cut keeps.
 */
function shrink(value: unknown, share: number, deep: boolean): unknown {
  if (typeof value === "string") return cut(value, Math.max(MIN_CHARS, Math.floor(value.length * share)));
  if (Array.isArray(value)) {
    const room = Math.max(MIN_ITEMS, Math.floor(value.length * share));
    const isCut = value.length > room;
    const kept = isCut ? value.slice(0, room - 1) : value;
    const items = isCut && !deep ? kept : kept.map((item) => shrink(item, share, deep));
    return isCut ? [...items, `… ${value.length - kept.length} more items left out`] : items;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shrink(inner, share, deep)]));
}

/** Room for the note at the end of a text that was cut. */
const NOTE_CHARS = 60;

/** At most `chars` of the text, the note included: what was cut once fits, and is not cut again. */
function cut(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const at = chars - NOTE_CHARS;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) ? at - 1 : at;
  return `${text.slice(0, end)}\n… ${text.length - end} more characters left out`;
}
