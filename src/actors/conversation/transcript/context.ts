/**
 * The default prompt: the window as model messages, with old results of server
 * tools left out in pairs and single values bounded. Storage keeps everything;
 * only what the model sees gets shorter.
 */
import { convertToModelMessages, type ModelMessage, pruneMessages, type ToolSet, type UIMessage } from "ai";

/** Longest text that a prompt carries in one piece, in characters; what is longer is cut with a marker. */
export const MAX_PROMPT_TEXT_CHARS = 200_000;
/** Longest tool output that a prompt carries, in characters of its JSON; strings and lists inside are cut, the shape stays. */
export const MAX_PROMPT_OUTPUT_CHARS = 100_000;

/** Stands in a prompt for a user message that has nothing for a model. */
const EMPTY_MESSAGE = "(a message without text)";

/** Model messages for `messages`. `tools` tells which results may be dropped: those with `execute`; what a person answered stays. */
export async function promptOf(messages: readonly UIMessage[], tools: ToolSet): Promise<ModelMessage[]> {
  const converted = await convertToModelMessages(messages.map(withoutRawInput), {
    tools,
    ignoreIncompleteToolCalls: true,
  });
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
 * fit keep their identity.
 */
export function boundPrompt(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.flatMap((message) => {
    if (typeof message.content === "string") {
      return message.content.length <= MAX_PROMPT_TEXT_CHARS
        ? [message]
        : [{ ...message, content: cut(message.content, MAX_PROMPT_TEXT_CHARS) } as ModelMessage];
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
  const chars = JSON.stringify(output.value)?.length ?? 0;
  return chars <= MAX_PROMPT_OUTPUT_CHARS
    ? part
    : {
        ...part,
        output: { ...output, value: shrink(output.value, MAX_PROMPT_OUTPUT_CHARS / chars) as typeof output.value },
      };
}

/** Within a turn the SDK hands on what a model wrote as the input of a call; providers refuse anything but an object. */
function withObjectInput(part: Extract<ContentPart, { type: "tool-call" }>): ContentPart {
  const { input } = part;
  return typeof input === "object" && input !== null && !Array.isArray(input) ? part : { ...part, input: {} };
}

/** What a model wrote where an object belongs is kept for people; no provider accepts it back. */
function withoutRawInput(message: UIMessage): UIMessage {
  if (!message.parts.some((part) => "rawInput" in part)) return message;
  const parts = message.parts.map((part) => {
    if (!("rawInput" in part)) return part;
    const { rawInput: _, ...rest } = part;
    return rest as typeof part;
  });
  return { ...message, parts };
}

/** A value of the same shape whose strings and lists keep about `share` of their length. */
function shrink(value: unknown, share: number): unknown {
  if (typeof value === "string") {
    return value.length > 200 ? cut(value, Math.max(200, Math.floor(value.length * share))) : value;
  }
  if (Array.isArray(value)) {
    const kept = value.slice(0, Math.max(10, Math.floor(value.length * share)));
    const rest = value.length - kept.length;
    // A list that was cut has paid its share; one that is short enough pays inside.
    return rest > 0 ? [...kept, `… ${rest} more items left out`] : kept.map((item) => shrink(item, share));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shrink(inner, share)]));
}

function cut(text: string, chars: number): string {
  const end = /[\uD800-\uDBFF]/.test(text.charAt(chars - 1)) ? chars - 1 : chars;
  return `${text.slice(0, end)}\n… ${text.length - end} more characters left out`;
}
