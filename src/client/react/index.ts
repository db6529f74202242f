/**
 * A conversation in a React component:
 *
 * ```tsx
 * import { useConversation } from "troupe/react";
 *
 * const { messages, status, send } = useConversation({ agent: "assistant", name: "my-chat" });
 * ```
 */
export { type Conversation, useConversation } from "./use-conversation.ts";
