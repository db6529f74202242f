/**
 * A conversation in a React component, over a socket of its own or, with
 * `useAgentChat`, over the connection of `useAgent`:
 *
 * ```tsx
 * import { useConversation } from "troupe/react";
 *
 * const { messages, status, send } = useConversation({ agent: "assistant", name: "my-chat" });
 * ```
 */
export { getAgentMessages, type GetAgentMessagesOptions, type GetMessagesByUrl } from "../get-agent-messages.ts";
export type {
  AgentChat,
  DataChunk,
  FinishEvent,
  NewMessage,
  SendOptions,
  TurnEndEvent,
  UseAgentChatOptions,
} from "./agent-chat-options.ts";
export { type AgentConnection, httpUrlOf } from "./agent-socket.ts";
export { useAgentChat } from "./use-agent-chat.ts";
export { type Conversation, useConversation } from "./use-conversation.ts";
