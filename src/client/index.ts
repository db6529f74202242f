/**
 * The client of a conversation, for any framework:
 *
 * ```ts
 * import { ChatClient } from "troupe/client";
 *
 * const chat = new ChatClient({ agent: "assistant", name: "my-chat" });
 * chat.subscribe(() => render(chat.getSnapshot()));
 * chat.connect();
 * chat.send("Hello");
 * ```
 */
export { type ChatClientOptions, ChatClient, type SendPart } from "./chat-client.ts";
export {
  type ChatSocket,
  type ConversationAddress,
  type MessagePage,
  type PageReader,
  reconnectingSocket,
  type SocketFactory,
} from "./address.ts";
export { type Cut, cutOf } from "./cut-answer.ts";
export type { TurnEnding } from "./chat-state.ts";
export type { ChatStatus, ChatView } from "./view.ts";
export { isToolPart, type MessagePart, type ToolPart } from "../shared/message-parts.ts";
export type { LinkState } from "./link.ts";
export type { Schedule } from "./next-frame.ts";
