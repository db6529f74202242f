/** What a client is given: its address, its callbacks, and the parts of the platform that may be replaced. */
import type { FileUIPart, TextUIPart, UIMessage, UIMessageChunk } from "ai";
import type { ConversationAddress, PageReader, SocketFactory } from "./address.ts";
import type { TurnEnding } from "./chat-state.ts";
import type { Schedule } from "./next-frame.ts";
import type { RequestBody } from "./own-request.ts";

/** What a user message may be made of. */
export type SendPart = TextUIPart | FileUIPart;

/** Called synchronously, as frames arrive. What throws here is told on the console and changes nothing for the others. */
export interface ChatWatcher {
  /** Each chunk of each answer, own or not, once and in order, also when the socket drops in between. */
  readonly onChunk?: (chunk: UIMessageChunk, requestId: string) => void;
  /** When a turn ends: once for each request of this client, and for those of others that it sees end. `text` is the error or a note, not the answer: that is the last message of the snapshot. */
  readonly onTurnEnd?: (ending: TurnEnding) => void;
  /** After everything that happened to this client, visible or not. */
  readonly onChange?: () => void;
}

export interface ChatClientOptions extends ConversationAddress, ChatWatcher {
  /** Makes the socket. Default: one that reconnects by itself. */
  readonly socket?: SocketFactory;
  /** Reads pages of messages. Default: HTTP. */
  readonly readPage?: PageReader;
  /** When listeners are told of changes. Default: the next animation frame, or soon where there is none. */
  readonly schedule?: Schedule;
  /** Makes ids of requests and messages. Default: 128 random bits. */
  readonly newId?: () => string;
  /** Messages that are known already, oldest first; shown until the server has told the transcript. */
  readonly messages?: readonly UIMessage[];
  /** Takes streams that run when a socket opens. Default true; with false, only those of own requests. */
  readonly resume?: boolean;
  /** Calls `run` once, later; returns how to prevent that. Default: `setTimeout`. */
  readonly alarm?: (run: () => void, ms: number) => () => void;
  /** Messages per page of `loadOlder`. Default 50. */
  readonly pageSize?: number;
}

export interface RequestOptions {
  /** A new id for the request. Default: a random one. */
  readonly requestId?: string;
  /** The caller's own fields of the request's body. They reach `onChatMessage` as `options.body`. */
  readonly body?: RequestBody | undefined;
}

export interface RegenerateOptions extends RequestOptions {
  /** A user message, or the answer to replace. Default: the last user message. */
  readonly messageId?: string | undefined;
  /** The user message itself, where the caller has it; the client may not have it yet. */
  readonly asked?: UIMessage | undefined;
}
