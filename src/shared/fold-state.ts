/**
 * A message while chunks are folded into it, and which of its parts are open. A
 * value: each step makes a new one that shares everything it did not touch.
 *
 * A delta costs what it adds, not what the message has: the parts that deltas
 * grow stand beside the message until somebody looks at it.
 */
import type { UIMessage } from "ai";
import type { MessagePart, ToolPart } from "./message-parts.ts";
import { isToolPart, replacePart } from "./message-parts.ts";

/** Where a call whose input streams stands, and how much of its raw text `input` was made of. */
export interface StreamingInput {
  readonly index: number;
  readonly parsedLength: number;
}

type GrownParts = ReadonlyMap<number, MessagePart>;

const nothingGrown: GrownParts = new Map();

export class FoldState {
  /** Open text and reasoning parts, `text:<id>` or `reasoning:<id>` to index. Ids may repeat after an end. */
  readonly open: ReadonlyMap<string, number>;
  /** Calls whose input streams, by call id. */
  readonly inputs: ReadonlyMap<string, StreamingInput>;
  #message: UIMessage;
  #grown: GrownParts;

  constructor(
    message: UIMessage,
    open: ReadonlyMap<string, number>,
    inputs: ReadonlyMap<string, StreamingInput>,
    grown = nothingGrown,
  ) {
    this.open = open;
    this.inputs = inputs;
    this.#message = message;
    this.#grown = grown;
  }

  /**
   * The message so far, the same object for the same state. Never changed in
   * place; parts that a chunk does not touch keep their identity.
   */
  get message(): UIMessage {
    if (this.#grown.size > 0) {
      const parts = [...this.#message.parts];
      for (const [index, part] of this.#grown) parts[index] = part;
      this.#message = { ...this.#message, parts };
      this.#grown = nothingGrown;
    }
    return this.#message;
  }

  /** A part of the message; looking at it costs nothing. */
  partAt(index: number): MessagePart | undefined {
    return this.#grown.get(index) ?? this.#message.parts[index];
  }

  /** With the part at `index` grown. Costs as much as there are parts that grow, however long the message is. */
  grow(index: number, part: MessagePart): FoldState {
    return new FoldState(this.#message, this.open, this.inputs, new Map(this.#grown).set(index, part));
  }

  withMessage(message: UIMessage): FoldState {
    return new FoldState(message, this.open, this.inputs);
  }

  withOpen(key: string, index: number | undefined): FoldState {
    return new FoldState(this.#message, withEntry(this.open, key, index), this.inputs, this.#grown);
  }

  withInput(toolCallId: string, input: StreamingInput | undefined): FoldState {
    return new FoldState(this.#message, this.open, withEntry(this.inputs, toolCallId, input), this.#grown);
  }
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
  return new FoldState(message, new Map(), inputs);
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
  return state.withMessage({ ...state.message, parts: [...state.message.parts, part] });
}

export function setPart(state: FoldState, index: number, part: MessagePart): FoldState {
  return state.withMessage(replacePart(state.message, index, part));
}

/** A copy of `map` with `key` set, or without it when `value` is undefined. */
function withEntry<V>(map: ReadonlyMap<string, V>, key: string, value: V | undefined): ReadonlyMap<string, V> {
  const copy = new Map(map);
  if (value === undefined) copy.delete(key);
  else copy.set(key, value);
  return copy;
}
