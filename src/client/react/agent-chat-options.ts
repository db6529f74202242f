/** What `useAgentChat` takes and gives, in the words of the Agents SDK's hook. */
import type { FileUIPart, UIMessage, UIMessageChunk } from "ai";
import type { TroupeError } from "../../shared/errors.ts";
import type { TurnOutcome } from "../../shared/wire-words.ts";
import type { RequestBody } from "../own-request.ts";
import type { ChatStatus } from "../view.ts";
import type { AgentConnection } from "./agent-socket.ts";

export type DataChunk = Extract<UIMessageChunk, { type: `data-${string}` }>;

/** A turn that ended. */
export interface TurnEndEvent {
  readonly requestId: string;
  readonly outcome: TurnOutcome;
  /** The text for people, when `outcome` is `"error"`. */
  readonly error?: string;
}

/** A turn whose answer is there: whole, cut, or with an error behind it. */
export interface FinishEvent<M extends UIMessage> {
  readonly message: M;
  readonly messages: readonly M[];
  readonly isAbort: boolean;
  readonly isError: boolean;
}

export interface UseAgentChatOptions<M extends UIMessage = UIMessage> {
  /** The connection of `useAgent`, the same object from one render to the next; another one is listened to anew. It stays open when the component goes. */
  readonly agent: AgentConnection;
  /**
   * Reads the messages to begin with; the component suspends until they are
   * there. Default: `GET …/get-messages`. `null`: nothing is read.
   */
  readonly getInitialMessages?:
    | ((options: { agent: string; name: string; url: string }) => Promise<readonly M[]>)
    | null
    | undefined;
  /** The messages to begin with when none are read. */
  readonly messages?: readonly M[];
  /** Takes answers that run when the component comes. Default true. */
  readonly resume?: boolean;
  /** Fields for the body of each request. They reach `onChatMessage` as `options.body`. */
  readonly body?: RequestBody | (() => RequestBody | Promise<RequestBody>);
  /** For reading messages over HTTP. */
  readonly headers?: HeadersInit;
  readonly credentials?: RequestCredentials;
  /** Each data part as it arrives, once, transient ones too. */
  readonly onData?: (part: DataChunk) => void;
  readonly onError?: (error: TroupeError) => void;
  readonly onFinish?: (event: FinishEvent<M>) => void;
  /** Once for each request of this component that ends, and for those of others that it sees end. */
  readonly onTurnEnd?: (event: TurnEndEvent) => void;
}

/** What a new message may be given as; without an id it gets one. */
export type NewMessage<M extends UIMessage = UIMessage> =
  | { readonly text: string; readonly files?: FileList | readonly FileUIPart[]; readonly metadata?: M["metadata"] }
  | { readonly files: FileList | readonly FileUIPart[]; readonly text?: never; readonly metadata?: M["metadata"] }
  | {
      readonly id?: string;
      readonly role?: UIMessage["role"];
      readonly parts: M["parts"];
      readonly metadata?: M["metadata"];
    };

export interface SendOptions {
  /** Fields for the body of this request. */
  readonly body?: RequestBody;
}

export interface AgentChat<M extends UIMessage = UIMessage> {
  /** Oldest first. A message keeps its identity as long as it says the same. */
  readonly messages: readonly M[];
  /** Of what this component asked for or resumed; what others asked for shows in `isServerStreaming`. */
  readonly status: ChatStatus;
  readonly error: TroupeError | undefined;
  /** Whether anything streams. */
  readonly isStreaming: boolean;
  /** Whether an answer streams that somebody else asked for: another tab, a schedule, other code of the server. */
  readonly isServerStreaming: boolean;
  /** Whether the server brings back a turn that was cut off. */
  readonly isRecovering: boolean;
  /** Whether what streams goes on with an answer after a tool result or a decision. */
  readonly isToolContinuation: boolean;
  /** Why nothing comes; null while the connection is well or tried again. */
  readonly connectionError: Error | null;
  /** Whether `loadOlder` would find more. */
  readonly hasMore: boolean;
  /** Sends a user message and shows it at once. Resolves when its turn has ended, however it ended; at once when it says nothing. */
  sendMessage(message: NewMessage<M>, options?: SendOptions): Promise<void>;
  /** Answers a user message again, by default the last. Resolves when that turn has ended; at once when there is nothing to answer. */
  regenerate(options?: SendOptions & { readonly messageId?: string }): Promise<void>;
  /** Cancels the turn that runs, at the server. */
  stop(): Promise<void>;
  /** Asks what runs, and takes it. */
  resume(): void;
  /** Shows these messages until the server tells the transcript again; the transcript itself does not change. */
  setMessages(messages: readonly M[] | ((messages: readonly M[]) => readonly M[])): void;
  /** Empties the conversation for everybody. */
  clearHistory(): void;
  clearError(): void;
  /** Puts the page before the first message in front. Rejects with a `TroupeError` when it cannot be read. */
  loadOlder(): Promise<void>;
}
