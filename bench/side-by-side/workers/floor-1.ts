/** Subject: `streamText` and a bare hibernating socket. Stores nothing, resumes nothing. */
import { DurableObject } from "cloudflare:workers";
import { streamText } from "ai";
import type { Asked } from "../dialects.ts";
import { route } from "./route.ts";
import { Speaker } from "./speaker.ts";

export class Assistant extends DurableObject {
  override async fetch(): Promise<Response> {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  override async webSocketMessage(_: WebSocket, data: string): Promise<void> {
    const { id, text } = JSON.parse(data) as Asked;
    const result = streamText({ model: new Speaker(), messages: [{ role: "user", content: text }] });
    for await (const chunk of result.toUIMessageStream()) this.#broadcast({ id, chunk });
    this.#broadcast({ id, done: true });
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    socket.close();
  }

  #broadcast(frame: object): void {
    const text = JSON.stringify(frame);
    for (const socket of this.ctx.getWebSockets()) socket.send(text);
  }

  async seed(): Promise<void> {}

  async drop(): Promise<void> {
    this.ctx.abort("dropped by the bench");
  }
}

interface Env {
  Assistant: DurableObjectNamespace<Assistant>;
}

export default {
  fetch: (request, env) =>
    route(request, env.Assistant, (request, name) => env.Assistant.getByName(name).fetch(request)),
} satisfies ExportedHandler<Env>;
