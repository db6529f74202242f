/** The Worker that the tests run in: every actor class and test agent, exported. */
import { DurableObject } from "cloudflare:workers";

export class StreamBuffer extends DurableObject {}

export default {
  fetch: () => new Response("test worker"),
} satisfies ExportedHandler;
