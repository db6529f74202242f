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
export { ChatClient } from "./chat-client.ts";
export type { ChatClientOptions, ChatWatcher, RegenerateOptions, RequestOptions, SendPart } from "./chat-options.ts";
export type { RequestBody } from "./own-request.ts";
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
export type { ChatStatus, ChatView, ConnectionError } from "./view.ts";
export { isToolPart, type MessagePart, type ToolPart } from "../shared/message-parts.ts";
export type { LinkState } from "./link.ts";
export type { Schedule } from "./next-frame.ts";
