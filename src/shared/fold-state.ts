/**
 * What a fold knows beside its message: which parts are open. A value; each
 * step makes a new one that shares everything it did not touch.
 */
import type { UIMessage } from "ai";
import type { MessagePart, ToolPart } from "./message-parts.ts";
import { isToolPart, replacePart } from "./message-parts.ts";

/** Where a call whose input streams stands, and how much of its raw text `input` was made of. */
export interface StreamingInput {
  readonly index: number;
  readonly parsedLength: number;
}

export interface FoldState {
  /** The message so far. Never changed in place; parts that a chunk does not touch keep their identity. */
  readonly message: UIMessage;
  /** Open text and reasoning parts, `text:<id>` or `reasoning:<id>` to index. Ids may repeat after an end. */
  readonly open: ReadonlyMap<string, number>;
  /** Calls whose input streams, by call id. */
  readonly inputs: ReadonlyMap<string, StreamingInput>;
}

/** An assistant message without parts. With the id `""` it takes the id of the `start` chunk. */
export function emptyAssistant(id: string): UIMessage {
  return { id, role: "assistant", parts: [] };
}

/** Starts a fold on an empty message or on a stored one that goes on. The message is not changed. */
export function startFold(message: UIMessage): FoldState {
  const inputs = new Map<string, StreamingInput>();
  for (let index = stepStart(message); index < message.parts.length; index++) {
    const part = message.parts[index];
    if (part && isToolPart(part) && part.state === "input-streaming") {
      inputs.set(part.toolCallId, { index, parsedLength: 0 });
    }
  }
  return { message, open: new Map(), inputs };
}

/** Index of the first part of the current step; the number of parts when the step is empty. */
export function stepStart(message: UIMessage): number {
  return message.parts.findLastIndex((part) => part.type === "step-start") + 1;
}

export interface FoundCall {
  readonly index: number;
  readonly part: ToolPart;
}

/** The call as the current step knows it, or else the newest one of that id: a continuation answers calls of earlier steps. */
export function findCall(message: UIMessage, toolCallId: string): FoundCall | null {
  const isIt = (part: MessagePart): boolean => isToolPart(part) && part.toolCallId === toolCallId;
  const start = stepStart(message);
  const inStep = message.parts.findIndex((part, at) => at >= start && isIt(part));
  const index = inStep === -1 ? message.parts.findLastIndex(isIt) : inStep;
  return index === -1 ? null : { index, part: message.parts[index] as ToolPart };
}

export function pushPart(state: FoldState, part: MessagePart): FoldState {
  return { ...state, message: { ...state.message, parts: [...state.message.parts, part] } };
}

export function setPart(state: FoldState, index: number, part: MessagePart): FoldState {
  return { ...state, message: replacePart(state.message, index, part) };
}

/** A copy of `map` with `key` set, or without it when `value` is undefined. */
export function withEntry<V>(map: ReadonlyMap<string, V>, key: string, value: V | undefined): ReadonlyMap<string, V> {
  const copy = new Map(map);
  if (value === undefined) copy.delete(key);
  else copy.set(key, value);
  return copy;
}
