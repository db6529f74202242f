/** The Worker that the tests run in: every actor class and test agent, exported. */
export { BareAgent } from "./bare-agent.ts";
export { StreamBuffer } from "../../src/actors/stream-buffer/stream-buffer.ts";

export default {
  fetch: () => new Response("test worker"),
} satisfies ExportedHandler;
