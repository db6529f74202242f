/**
 * The default prompt: the window as model messages, with old results of server
 * tools left out in pairs and single values bounded. Storage keeps everything;
 * only what the model sees gets shorter.
 */
import { convertToModelMessages, type ModelMessage, pruneMessages, type ToolSet, type UIMessage } from "ai";

/** Longest text of one message part that a prompt carries, in characters; what is longer is cut with a marker. */
export const MAX_PROMPT_PART_CHARS = 200_000;
/** Longest tool output that a prompt carries, in characters of its JSON; strings and lists inside are cut, the shape stays. */
export const MAX_PROMPT_OUTPUT_CHARS = 100_000;

/** Model messages for `messages`. `tools` tells which results may be dropped: those with `execute`; what a person answered stays. */
export async function promptOf(messages: readonly UIMessage[], tools: ToolSet): Promise<ModelMessage[]> {
  const bounded = messages.map(boundMessage);
  const prompt = await convertToModelMessages(bounded, { tools, ignoreIncompleteToolCalls: true });
  const serverTools = Object.keys(tools).filter((name) => tools[name]?.execute !== undefined);
  return serverTools.length === 0
    ? prompt
    : pruneMessages({ messages: prompt, toolCalls: [{ type: "before-last-2-messages", tools: serverTools }] });
}

/** The message with over-long texts and tool outputs cut; itself when nothing is too long. */
export function boundMessage(message: UIMessage): UIMessage {
  const parts = message.parts.map(boundPart);
  return parts.every((part, at) => part === message.parts[at]) ? message : { ...message, parts };
}

function boundPart(part: UIMessage["parts"][number]): UIMessage["parts"][number] {
  if (part.type === "text" && part.text.length > MAX_PROMPT_PART_CHARS) {
    return { ...part, text: cut(part.text, MAX_PROMPT_PART_CHARS) };
  }
  if ("output" in part && part.output !== undefined && part.state === "output-available") {
    const chars = JSON.stringify(part.output).length;
    // Same shape, shorter leaves: code that reads the output still finds its fields.
    if (chars > MAX_PROMPT_OUTPUT_CHARS)
      return { ...part, output: shrink(part.output, MAX_PROMPT_OUTPUT_CHARS / chars) };
  }
  return part;
}

/** A value of the same shape whose strings and lists keep about `share` of their length. */
function shrink(value: unknown, share: number): unknown {
  if (typeof value === "string")
    return value.length > 200 ? cut(value, Math.max(200, Math.floor(value.length * share))) : value;
  if (Array.isArray(value)) {
    const kept = value.slice(0, Math.max(10, Math.floor(value.length * share)));
    const rest = value.length - kept.length;
    const items = rest > 0 ? kept : kept.map((item) => shrink(item, share));
    return rest > 0 ? [...items, `… ${rest} more items left out`] : items;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shrink(inner, share)]));
}

function cut(text: string, chars: number): string {
  const end = /[\uD800-\uDBFF]/.test(text.charAt(chars - 1)) ? chars - 1 : chars;
  return `${text.slice(0, end)}\n… ${text.length - end} more characters left out`;
}
