/**
 * Puts the chat protocol in front of an Agent's own handlers.
 *
 * The only place that wraps `onConnect`, `onMessage` and `onClose` of an
 * instance; HTTP goes through a lifecycle capability. Frames and routes of the
 * chat protocol are taken here, everything else reaches the handlers as they
 * were, so that people override them without calling `super`. Sockets of a
 * child route are left alone, and callbacks run in the agent's context
 * (`getCurrentAgent()` works).
 *
 *     class Bare extends Agent<Env> {
 *       constructor(ctx: AgentContext, env: Env) {
 *         super(ctx, env);
 *         setupChatProtocol(this, { onChatRequest: async (connection, frame) => { … }, getMessages: () => [] });
 *       }
 *     }
 */
import type { Agent, Connection, ConnectionContext } from "agents";
import type { UIMessage } from "ai";
import { logError } from "../shared/platform/log.ts";
import {
  CHAT_MESSAGE_TYPES,
  type ClientFrame,
  type ClientFrameOf,
  type ParsedFrame,
  parseFrame,
  type ServerFrame,
} from "../shared/wire.ts";
import { sendFrame } from "./chat-connection.ts";
import { ChatRoutes } from "./chat-routes.ts";

type MaybePromise<T> = T | Promise<T>;
type Types = typeof CHAT_MESSAGE_TYPES;
type Invalid = Extract<ParsedFrame, { kind: "invalid" }>;

/**
 * What a chat agent does about each frame. What throws is logged and answered
 * with an error frame; it never reaches the other users of the socket.
 */
export interface ChatProtocolCallbacks {
  onChatRequest(connection: Connection, frame: ClientFrameOf<Types["USE_CHAT_REQUEST"]>): MaybePromise<void>;
  getMessages(): MaybePromise<UIMessage[]>;
  onClear?(connection: Connection): MaybePromise<void>;
  onCancel?(requestId: string, connection: Connection): MaybePromise<void>;
  onToolResult?(connection: Connection, frame: ClientFrameOf<Types["TOOL_RESULT"]>): MaybePromise<void>;
  onToolApproval?(connection: Connection, frame: ClientFrameOf<Types["TOOL_APPROVAL"]>): MaybePromise<void>;
  /** A posted list outside of a request. */
  onMessages?(connection: Connection, frame: ClientFrameOf<Types["CHAT_MESSAGES"]>): MaybePromise<void>;

  /** Before the user's `onConnect`; `false` means that the socket was refused and closed. Default: offer to resume, send the list. */
  onConnect?(connection: Connection, context: ConnectionContext): MaybePromise<boolean | void>;
  /** Before the user's `onClose`. */
  onClose?(connection: Connection): MaybePromise<void>;
  /** A frame of ours that does not validate. Default: an error frame if it has an id, else nothing. */
  onInvalidFrame?(connection: Connection, problem: Invalid): MaybePromise<void>;
  /** An HTTP request for this agent; undefined leaves it to the user's `onRequest`. Default: `GET …/get-messages`. */
  onHttpRequest?(request: Request): MaybePromise<Response | undefined>;
  /** A WebSocket upgrade; a response refuses it. For a child route only `onConnect` is asked, in the child. */
  onUpgrade?(request: Request): MaybePromise<Response | undefined>;

  /** Resuming, whole: these two replace the handshake over the callbacks below. */
  onResumeRequest?(connection: Connection, frame: ClientFrameOf<Types["STREAM_RESUME_REQUEST"]>): MaybePromise<void>;
  onResumeAck?(connection: Connection, frame: ClientFrameOf<Types["STREAM_RESUME_ACK"]>): MaybePromise<void>;

  hasActiveStream?(): boolean;
  getActiveRequestId?(): string | null;
  /** Offers the active stream; `probeId` is that of the probe it answers. */
  notifyStreamResuming?(connection: Connection, probeId?: string): void;
  /** Replays what is stored of a request, running or ended, and nothing for one it does not know; returns the id of a stream that nobody produces any more. */
  replayChunks?(connection: Connection, requestId: string): string | null;
  persistOrphanedStream?(streamId: string): void;
  /** A continuation that is about to start, and who waits for it (a `ContinuationState` is one). */
  getContinuation?(): { readonly pending: unknown; readonly awaitingConnections: Map<string, Connection> };
  /** Ids of connections that were offered a stream and have not acknowledged it. */
  getPendingResumeConnections?(): Set<string>;
}

/** What `setupChatProtocol` gives back. */
export interface ChatProtocolHandler {
  /** Runs `body` in the agent's context, where `getCurrentAgent()` works. */
  runInAgentContext<T>(body: () => T | Promise<T>, connection?: Connection): Promise<T>;
  /** Resolves when the agent has started (`onStart` has run). */
  ready(): Promise<void>;
}

/** Call once, in the constructor, after `super()`. */
export function setupChatProtocol(agent: Agent, callbacks: ChatProtocolCallbacks): ChatProtocolHandler {
  const routes = new ChatRoutes(callbacks);
  agent.lifecycle.use(routes);
  wrapSockets(agent, callbacks, routes);
  return routes;
}

/** How Agent tells sockets of a child route apart; there at run time, protected in its types. */
interface ChildRoutes {
  _cf_connectionTargetsSubAgent(connection: Connection): boolean;
  _cf_requestTargetsSubAgent(request: Request): boolean;
}

function wrapSockets(agent: Agent, callbacks: ChatProtocolCallbacks, handler: ChatProtocolHandler): void {
  const childRoutes = agent as unknown as ChildRoutes;
  const onConnect = agent.onConnect.bind(agent);
  const onMessage = agent.onMessage.bind(agent);
  const onClose = agent.onClose.bind(agent);
  // What a socket sent before it learned that it was refused still arrives.
  const refused = new WeakSet<Connection>();

  agent.onConnect = async (connection, context) => {
    if (!childRoutes._cf_requestTargetsSubAgent(context.request)) {
      const accepted = await handler.runInAgentContext(() => connect(callbacks, connection, context), connection);
      if (accepted === false) {
        refused.add(connection);
        return;
      }
    }
    await onConnect(connection, context);
  };
  agent.onMessage = async (connection, data) => {
    if (refused.has(connection)) return;
    const parsed = childRoutes._cf_connectionTargetsSubAgent(connection) ? null : parseFrame(data);
    if (parsed === null || parsed.kind === "foreign") return onMessage(connection, data);
    await handler.runInAgentContext(() => guarded(callbacks, connection, parsed), connection);
  };
  agent.onClose = async (connection, code, reason, wasClean) => {
    if (!childRoutes._cf_connectionTargetsSubAgent(connection)) {
      await handler.runInAgentContext(() => close(callbacks, connection), connection);
    }
    if (refused.delete(connection)) return;
    await onClose(connection, code, reason, wasClean);
  };
}

async function guarded(
  callbacks: ChatProtocolCallbacks,
  connection: Connection,
  parsed: Exclude<ParsedFrame, { kind: "foreign" }>,
): Promise<void> {
  try {
    if (parsed.kind === "invalid") await refuse(callbacks, connection, parsed);
    else await dispatch(callbacks, connection, parsed.frame);
  } catch (error) {
    const frame = parsed.kind === "frame" ? parsed.frame : null;
    logError("chat.frame-failed", error, { type: frame?.type });
    if (frame?.type === CHAT_MESSAGE_TYPES.USE_CHAT_REQUEST) {
      sendFrame(connection, failureFrame(frame.id, "Something went wrong.", "internal"));
    }
  }
}

function dispatch(callbacks: ChatProtocolCallbacks, connection: Connection, frame: ClientFrame): MaybePromise<void> {
  switch (frame.type) {
    case CHAT_MESSAGE_TYPES.USE_CHAT_REQUEST:
      return frame.init.method === undefined || frame.init.method === "POST"
        ? callbacks.onChatRequest(connection, frame)
        : sendFrame(connection, failureFrame(frame.id, "Send a chat request with method POST.", "bad_request"));
    case CHAT_MESSAGE_TYPES.CHAT_CLEAR:
      return callbacks.onClear?.(connection);
    case CHAT_MESSAGE_TYPES.CHAT_REQUEST_CANCEL:
      return callbacks.onCancel?.(frame.id, connection);
    case CHAT_MESSAGE_TYPES.TOOL_RESULT:
      return callbacks.onToolResult?.(connection, frame);
    case CHAT_MESSAGE_TYPES.TOOL_APPROVAL:
      return callbacks.onToolApproval?.(connection, frame);
    case CHAT_MESSAGE_TYPES.CHAT_MESSAGES:
      return callbacks.onMessages?.(connection, frame);
    case CHAT_MESSAGE_TYPES.STREAM_RESUME_REQUEST:
      return callbacks.onResumeRequest === undefined
        ? resumeRequest(callbacks, connection, frame.probeId)
        : callbacks.onResumeRequest(connection, frame);
    case CHAT_MESSAGE_TYPES.STREAM_RESUME_ACK:
      return callbacks.onResumeAck === undefined
        ? resumeAck(callbacks, connection, frame.id)
        : callbacks.onResumeAck(connection, frame);
    default:
      return frame satisfies never;
  }
}

async function connect(
  callbacks: ChatProtocolCallbacks,
  connection: Connection,
  context: ConnectionContext,
): Promise<boolean | void> {
  if (callbacks.onConnect !== undefined) return callbacks.onConnect(connection, context);
  if (callbacks.hasActiveStream?.() === true) callbacks.notifyStreamResuming?.(connection);
  const messages = await callbacks.getMessages();
  sendFrame(connection, { type: CHAT_MESSAGE_TYPES.CHAT_MESSAGES, messages, connect: true });
}

async function close(callbacks: ChatProtocolCallbacks, connection: Connection): Promise<void> {
  callbacks.getPendingResumeConnections?.().delete(connection.id);
  callbacks.getContinuation?.().awaitingConnections.delete(connection.id);
  await callbacks.onClose?.(connection);
}

function resumeRequest(callbacks: ChatProtocolCallbacks, connection: Connection, probeId: string | undefined): void {
  if (callbacks.hasActiveStream?.() === true) {
    callbacks.notifyStreamResuming?.(connection, probeId);
    return;
  }
  const probe = probeId === undefined ? {} : { probeId };
  const continuation = callbacks.getContinuation?.();
  if (continuation !== undefined && continuation.pending !== null) {
    continuation.awaitingConnections.set(connection.id, connection);
    sendFrame(connection, { type: CHAT_MESSAGE_TYPES.STREAM_PENDING, ...probe });
    return;
  }
  sendFrame(connection, { type: CHAT_MESSAGE_TYPES.STREAM_RESUME_NONE, reason: "idle", ...probe });
}

function resumeAck(callbacks: ChatProtocolCallbacks, connection: Connection, requestId: string): void {
  // An ACK of an earlier stream, which may have ended before it came, says nothing about the offer of the active one.
  const active = callbacks.getActiveRequestId?.() ?? null;
  if (active === null || active === requestId) callbacks.getPendingResumeConnections?.().delete(connection.id);
  const orphan = callbacks.replayChunks?.(connection, requestId) ?? null;
  if (orphan !== null) callbacks.persistOrphanedStream?.(orphan);
}

function refuse(callbacks: ChatProtocolCallbacks, connection: Connection, problem: Invalid): MaybePromise<void> {
  if (callbacks.onInvalidFrame !== undefined) return callbacks.onInvalidFrame(connection, problem);
  if (problem.id !== undefined) sendFrame(connection, failureFrame(problem.id, problem.problem, problem.code));
}

function failureFrame(id: string, message: string, code: "internal" | Invalid["code"]): ServerFrame {
  const type = CHAT_MESSAGE_TYPES.USE_CHAT_RESPONSE;
  return { type, id, body: message, done: true, error: true, outcome: "error", code, retryable: code === "internal" };
}
