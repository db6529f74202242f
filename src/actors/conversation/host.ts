/** What the parts of a conversation see of the shell: its options and override points, and the Agent underneath. */
import type { Agent } from "agents";
import type { ToolSet, UIMessage } from "ai";
import type { StreamBufferContract } from "../stream-buffer/contract.ts";
import type {
  Action,
  Authorization,
  ChatErrorContext,
  ChatResult,
  CorsOptions,
  OnChatMessageOptions,
  Who,
} from "./contract.ts";
import type { FlushLimits } from "./turn/segment-writer.ts";

export interface ConversationHost extends Agent {
  readonly maxPersistedMessages: number | undefined;
  readonly contextBytes: number;
  readonly flushLimits: FlushLimits;
  readonly chatStreamStallTimeoutMs: number;
  readonly maxAnswerChars: number;
  readonly streamRetentionMs: number;
  readonly cors: CorsOptions | undefined;
  onChatMessage(options: OnChatMessageOptions): Promise<ChatResult> | ChatResult;
  onChatError(error: unknown, context: ChatErrorContext): unknown;
  onSanitizeMessage(message: UIMessage): UIMessage;
  getTools(): ToolSet;
  authorize(action: Action, who: Who): Authorization | Promise<Authorization>;
  streamBufferActor(): StreamBufferContract;
}
