/**
 * Troupe: AI assistants on Cloudflare Durable Objects.
 *
 *     import { Conversation, StreamBuffer } from "troupe";
 *     import { routeAgentRequest } from "agents";
 *
 *     export class Assistant extends Conversation { getModel() { return model; } }
 *     export { StreamBuffer };
 *     export default { fetch: (request, env) => routeAgentRequest(request, env) };
 */
export { Conversation } from "./actors/conversation/conversation.ts";
export type {
  Action,
  Authorization,
  ChatErrorContext,
  ChatOptions,
  ChatResult,
  ClientError,
  ConversationContract,
  CorsOptions,
  OnChatMessageOptions,
  Principal,
  StreamableResult,
  StreamCallback,
  TurnCost,
  TurnReport,
  Who,
} from "./actors/conversation/contract.ts";
export { joiningModel } from "./actors/conversation/turn/join-model.ts";
export { createToolsFromClientSchemas } from "./actors/conversation/turn/client-tools.ts";
export type {
  AppendRequest,
  AppendResult,
  ChunkEntry,
  ReadRequest,
  ReadResult,
  StreamBufferContract,
  StreamEnd,
} from "./actors/stream-buffer/contract.ts";
export { StreamBuffer } from "./actors/stream-buffer/stream-buffer.ts";
export { ERROR_CODES, type ErrorCode, isTroupeError, TroupeError } from "./shared/errors.ts";
export type { ClientToolSchema } from "./shared/wire.ts";
