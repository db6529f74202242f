/**
 * A conversation for the chat of the AI SDK:
 *
 * ```tsx
 * import { useChat } from "@ai-sdk/react";
 * import { ChatClient } from "troupe/client";
 * import { ConversationTransport } from "troupe/client/ai-sdk";
 *
 * const transport = new ConversationTransport(new ChatClient({ agent: "assistant", name: "my-chat" }));
 * const { messages, sendMessage, stop } = useChat({ transport, resume: true });
 * ```
 */
export { ConversationTransport } from "./conversation-transport.ts";
