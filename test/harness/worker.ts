/** The Worker that the tests run in: every actor class and test agent, exported. */
export { BareAgent, StreamBuffer, TestConversation } from "./agents.ts";
export { BareChat } from "./bare-chat.ts";

export default {
  fetch: () => new Response("test worker"),
} satisfies ExportedHandler;
