/**
 * What the acts of a conversation work on: its stores, its queue, its sockets,
 * and the override points of the user's class. Built once by the shell; the
 * acts (`admit`, `conductTurn`, `cancel`, `clear`, `settle`) are functions over it.
 */
import type { UIMessage } from "ai";
import type { TurnQueue } from "../../chat/turn-queue.ts";
import type { AbortRegistry } from "../../shared/abort-registry.ts";
import type { Clock } from "../../shared/clock.ts";
import type { Database } from "../../shared/platform/database.ts";
import type { StreamBufferContract } from "../stream-buffer/contract.ts";
import type { ChatErrorContext, ChatResult, OnChatMessageOptions } from "./contract.ts";
import type { KeepAwake } from "./keep-awake.ts";
import type { Sockets } from "./sessions/sockets.ts";
import type { MessageStore } from "./transcript/message-store.ts";
import type { TranscriptWindow } from "./transcript/window.ts";
import type { Followers } from "./turn/followers.ts";
import type { LiveStream } from "./turn/live-stream.ts";
import type { TurnLimits } from "./turn/run-turn.ts";
import type { FlushLimits } from "./turn/segment-writer.ts";
import type { TurnLog } from "./turn/turn-log.ts";
import type { TurnMeter } from "./turn/turn-meter.ts";

export interface ConversationParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly meter: TurnMeter;
  readonly messages: MessageStore;
  readonly turns: TurnLog;
  readonly window: TranscriptWindow;
  readonly queue: TurnQueue;
  readonly aborts: AbortRegistry;
  readonly sockets: Sockets;
  readonly awake: KeepAwake;
  /** The stream that runs now; at most one. */
  readonly running: { stream: LiveStream | null };
  readonly followers: Followers;
  readonly hooks: Hooks;
  /** The StreamBuffer; throws a `missing_export` error when there is none. */
  buffer(): StreamBufferContract;
}

/** The override points and options of the user's class, bound to the instance. */
export interface Hooks {
  onChatMessage(options: OnChatMessageOptions): Promise<ChatResult> | ChatResult;
  onChatError(error: unknown, context: ChatErrorContext): unknown;
  onSanitizeMessage(message: UIMessage): UIMessage;
  /** Whether a tool of this name runs on the server. */
  runsTool(name: string): boolean;
  limits(): TurnLimits;
  flushLimits(): FlushLimits;
  maxPersistedMessages(): number | undefined;
}
