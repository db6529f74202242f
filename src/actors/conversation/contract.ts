/**
 * What a Conversation promises to those who extend it, call it or connect to it.
 *
 * A **turn** spans everything from an accepted request to its terminal
 * outcome. It owns one assistant message id and one or more **segments**
 * (model runs), each with a request id of its own on the wire.
 */
import type { UIMessage, UIMessageChunk } from "ai";
import type { ErrorCode } from "../../shared/errors.ts";
import type { ClientToolSchema } from "../../shared/wire.ts";

/** What `onChatMessage` is told about the segment it answers. */
export interface OnChatMessageOptions {
  /** The request id of this segment, as on the wire. */
  readonly requestId: string;
  /** Aborts when the turn is cancelled, cleared or over a limit. Pass it to the model. */
  readonly abortSignal?: AbortSignal;
  /** The same signal under its older name. */
  readonly signal?: AbortSignal;
  /** The tools the client announced with the request. */
  readonly clientTools?: readonly ClientToolSchema[];
  /** The fields of the request body that are not the protocol's own. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** What `authorize` made of the one who asked; null when it said nothing, and for turns of the server itself. */
  readonly principal?: Principal;
  /** True when the segment goes on with a message that the client already has. */
  readonly continuation?: boolean;
}

/** Anything that streams UI message chunks: the result of `streamText`, or an object of your own. */
export interface StreamableResult {
  toUIMessageStream(options?: { onError?: (error: unknown) => string }): AsyncIterable<UIMessageChunk>;
}

/**
 * What `onChatMessage` may return: a streamable, a `Response` (an SSE stream of
 * UI message chunks, or any other body as plain text), or nothing, which ends
 * the turn with the text `No response was generated.`
 */
export type ChatResult = StreamableResult | Response | undefined | void;

/** Where a turn failed. `turn`: `onChatMessage` did; `stream`: what it returned did. */
export interface ChatErrorContext {
  readonly requestId: string;
  readonly stage: "turn" | "stream";
  /** Whether there is a partial answer; it is stored together with the ending, after `onChatError` has returned. */
  readonly messagesPersisted: boolean;
}

/** An error as clients see it. */
export interface ClientError {
  readonly message: string;
  readonly code: ErrorCode;
  readonly retryable: boolean;
}

/**
 * Receives one turn over RPC: `onStart`, then `onEvent` for each chunk in order
 * (JSON of a UI message chunk), then exactly one of `onDone` or `onError`.
 * After the caller's signal fires nothing more is called. Extend `RpcTarget`
 * to pass it across an actor boundary. `onStart` and `onError` may be missing.
 */
export interface StreamCallback {
  onStart?(event: { requestId: string }): void | Promise<void>;
  onEvent(json: string): void | Promise<void>;
  onDone(): void | Promise<void>;
  onError?(message: string): void | Promise<void>;
}

export interface ChatOptions {
  /**
   * Cancels the turn; what was generated so far is kept. For calls inside the
   * actor: the runtime does not pass signals across an actor boundary.
   */
  readonly signal?: AbortSignal;
}

/** Who does something: whatever `authorize` made of the request, JSON-serialisable; `null` when nobody said. */
export type Principal = unknown;

/** Every way into a conversation. A socket opens only if both `connect` and `read` are allowed. */
export type Action =
  | "connect"
  | "read"
  | "send"
  | "cancel"
  | "clear"
  | "tool-result"
  | "tool-approval"
  | "resume"
  | "child";

export interface Who {
  /** The HTTP request or WebSocket upgrade; `null` for a frame on an open socket. */
  readonly request: Request | null;
  /** What `connect` was given for this socket; `null` over HTTP. */
  readonly principal: Principal;
}

/** The answer of `authorize`. `principal` counts for `connect` and for HTTP requests. `reason` is told to the client. */
export type Authorization =
  | { readonly allow: true; readonly principal?: Principal }
  | { readonly allow: false; readonly status: 401 | 403; readonly reason?: string };

/** Cross-origin rules. */
export interface CorsOptions {
  /** Origins that may call with cookies and read answers, such as `https://app.example.com`. `"*"` allows any origin, without cookies. */
  readonly origins: readonly string[] | "*";
  /** Seconds a browser may cache the preflight answer. Default 86 400. */
  readonly maxAgeSeconds?: number;
}

/** The kinds of turn, by what asked for it. */
export type TurnKind = "submit" | "regenerate" | "continue" | "programmatic";

/**
 * What a turn has cost the conversation, from its admission (or, if it waited, its start) to its end. Exact counts.
 * Frames and bytes are those broadcast, once for each socket; replays are not among them. Statements and rows are those
 * of the conversation's own tables: the Agent's (two rows for staying awake) and the StreamBuffer's (one row for each
 * call to `append`) come on top.
 */
export interface TurnCost {
  readonly startedAtMs: number;
  /** Null while the turn runs. */
  readonly endedAtMs: number | null;
  readonly chunks: number;
  readonly frames: number;
  readonly frameBytes: number;
  readonly statements: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
  /** Calls to other actors, by verb. */
  readonly actorCalls: Readonly<Record<string, number>>;
}

/** The newest turn of this conversation that ran since it woke: its durable record, and what it cost. */
export interface TurnReport extends TurnCost {
  readonly turnId: string;
  readonly requestId: string;
  /** The id of the answer, stored or not. */
  readonly messageId: string;
  readonly kind: TurnKind;
  /** `queued`, `running`, `waiting`, `completed`, `failed`, `aborted` or `superseded`. */
  readonly state: string;
  /** Model runs begun. */
  readonly attempts: number;
  /** The ids of the user messages that the request brought. */
  readonly inputIds: readonly string[];
  /** Set when `state` is `failed`. */
  readonly error?: ClientError;
}

export interface ConversationContract {
  /** The active path, oldest first, with messages of turns that still wait at its end. */
  getMessages(): Promise<UIMessage[]>;
  /**
   * Runs one turn, in line behind those that were asked for before, and reports
   * it through `callback`. A string becomes a user message with a new id. A
   * message whose id is stored and answered already runs no turn: `onStart`,
   * then `onDone`. Resolves when the turn has ended, however it did; rejects
   * with `bad_request` for a message that is not a user message with parts.
   */
  chat(message: string | UIMessage, callback: StreamCallback, options?: ChatOptions): Promise<void>;
  /** Cancels the turn with this request id; what was generated is kept. Unknown and ended ids are ignored. */
  cancelChat(requestId: string): Promise<void>;
  /** The newest turn since the conversation woke and what it cost; null when none ran, or when its record was cleared. */
  inspectTurn(): Promise<TurnReport | null>;
  /** Stores private configuration, replacing what was there. It survives restarts and `clear`, and never reaches clients. Rejects with `bad_request` for what JSON cannot hold. */
  configure<T>(config: T): Promise<void>;
}
