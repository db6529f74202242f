/**
 * The fold as an object, for those who feed it chunk by chunk:
 *
 *     const answer = new StreamAccumulator({ messageId: "m1" });
 *     for await (const chunk of stream) answer.applyChunk(chunk);
 *     messages = answer.mergeInto(messages);
 */
import type { UIMessage, UIMessageChunk } from "ai";
import type { FoldState } from "./apply-chunk.ts";
import { applyChunk, emptyAssistant, finalizeFold, startFold } from "./apply-chunk.ts";
import { findCall } from "./fold-state.ts";

/** What a chunk asks of its owner, because the message alone cannot take it. */
export type ChunkAction =
  | { readonly type: "error"; readonly error: string }
  /** The outcome of a call that another message holds. */
  | {
      readonly type: "cross-message-tool-update";
      readonly toolCallId: string;
      readonly updateType: "output-available" | "output-error" | "output-denied";
      readonly chunk: UIMessageChunk;
    };

/** `handled`: the chunk changed the message. A chunk with an `action` never does. */
export interface ChunkResult {
  readonly handled: boolean;
  readonly action?: ChunkAction;
}

export interface StreamAccumulatorOptions {
  /** The id of the message when there is no `existing` one; `""` takes the id of the `start` chunk. */
  readonly messageId: string;
  /** A stored message that goes on. It keeps its id and is not changed. */
  readonly existing?: UIMessage;
}

export class StreamAccumulator {
  #state: FoldState;

  constructor({ messageId, existing }: StreamAccumulatorOptions) {
    this.#state = startFold(existing ?? emptyAssistant(messageId));
  }

  /** The message so far, a new value after each chunk that changed it. Half-arrived tool inputs may lag behind their `rawInput`. */
  get message(): UIMessage {
    return this.#state.message;
  }

  get messageId(): string {
    return this.#state.message.id;
  }

  /** The message for storage: half-arrived tool inputs are parsed as far as they go. */
  toMessage(): UIMessage {
    return finalizeFold(this.#state);
  }

  applyChunk(chunk: UIMessageChunk): ChunkResult {
    const action = actionOf(this.#state, chunk);
    if (action) return { handled: false, action };
    const next = applyChunk(this.#state, chunk);
    const handled = next !== this.#state;
    this.#state = next;
    return { handled };
  }

  /** `messages` with this message in the place of the one of the same id, or at the end. The list is not changed. */
  mergeInto(messages: readonly UIMessage[]): UIMessage[] {
    const message = this.toMessage();
    const at = messages.findIndex(({ id }) => id === message.id);
    return at === -1 ? [...messages, message] : messages.with(at, message);
  }
}

function actionOf(state: FoldState, chunk: UIMessageChunk): ChunkAction | null {
  switch (chunk?.type) {
    case "error":
      return { type: "error", error: chunk.errorText };
    case "tool-output-available":
      return crossMessage(state, chunk, "output-available");
    case "tool-output-error":
      return crossMessage(state, chunk, "output-error");
    case "tool-output-denied":
      return crossMessage(state, chunk, "output-denied");
    default:
      return null;
  }
}

function crossMessage(
  state: FoldState,
  chunk: UIMessageChunk & { readonly toolCallId: string },
  updateType: "output-available" | "output-error" | "output-denied",
): ChunkAction | null {
  const { toolCallId } = chunk;
  return findCall(state.message, toolCallId)
    ? null
    : { type: "cross-message-tool-update", toolCallId, updateType, chunk };
}
