/**
 * The chat layer in parts, for people who build on a bare Agent:
 *
 *     class Chat extends Agent<Env> {
 *       readonly stream = new ResumableStream(this);
 *       readonly resume = new StreamResumeHandler<Connection>(this.stream);
 *       override onConnect(connection: Connection) {
 *         this.resume.notifyStreamResuming(connection);
 *       }
 *     }
 */
export type { OnChatMessageOptions } from "../actors/conversation/contract.ts";
export { AbortRegistry } from "../shared/abort-registry.ts";
export { enforceRowSizeLimit } from "../shared/row-size.ts";
export { sanitizeMessage } from "../shared/sanitize.ts";
export {
  type ChunkAction,
  type ChunkResult,
  StreamAccumulator,
  type StreamAccumulatorOptions,
} from "../shared/stream-accumulator.ts";
export {
  applyToolUpdate,
  findAndUpdateToolPart,
  toolApprovalUpdate,
  type ToolPartUpdate,
  type ToolPartUpdated,
  toolResultUpdate,
} from "../shared/tool-state.ts";
export { CHAT_MESSAGE_TYPES, type ClientToolSchema, parseProtocolMessage } from "../shared/wire.ts";
export type { ChatConnection } from "./chat-connection.ts";
export { type Continuation, ContinuationState } from "./continuation-state.ts";
export { RequestContextStore } from "./request-context-store.ts";
export { ResumableStream } from "./resumable-stream.ts";
export type { SqlBinding, SqlProvider } from "./sql-provider.ts";
export { type ChatProtocolCallbacks, type ChatProtocolHandler, setupChatProtocol } from "./setup-chat-protocol.ts";
export { type ResumableStreamLike, type ResumeAnswer, StreamResumeHandler } from "./stream-resume-handler.ts";
export { type EnqueueOptions, TurnQueue, type TurnResult } from "./turn-queue.ts";
