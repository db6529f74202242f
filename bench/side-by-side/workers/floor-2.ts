/**
 * Subject: the model's own stream without the AI SDK, everything in SQLite.
 * Messages and chunks are rows, one per chunk; a socket gets the whole list and
 * the chunks of a running answer when it opens.
 */
import { DurableObject } from "cloudflare:workers";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Asked } from "../dialects.ts";
import { historyOf } from "../history.ts";
import { route } from "./route.ts";
import { Speaker } from "./speaker.ts";

export class Assistant extends DurableObject {
  #running: string | null = null;
  readonly #sql: SqlStorage;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#sql.exec("CREATE TABLE IF NOT EXISTS messages (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, body TEXT NOT NULL)");
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS chunks (seq INTEGER PRIMARY KEY, answer TEXT NOT NULL, body TEXT NOT NULL)",
    );
    this.#sql.exec("CREATE INDEX IF NOT EXISTS chunks_of ON chunks (answer)");
  }

  override async fetch(): Promise<Response> {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    const rows = this.#sql.exec<{ body: string }>("SELECT body FROM messages ORDER BY seq").toArray();
    server.send(`{"messages":[${rows.map(({ body }) => body).join(",")}]}`);
    if (this.#running !== null) this.#replay(server, this.#running);
    return new Response(null, { status: 101, webSocket: client });
  }

  override async webSocketMessage(_: WebSocket, data: string): Promise<void> {
    const { id, text } = JSON.parse(data) as Asked;
    this.#store({ id: `${id}-user`, role: "user", parts: [{ type: "text", text }] });
    this.#running = id;
    const content = [{ type: "text" as const, text }];
    const { stream } = await new Speaker().doStream({ prompt: [{ role: "user", content }] });
    let answer = "";
    for await (const part of stream) {
      const chunk = chunkOf(part);
      if (chunk === null) continue;
      if (chunk.type === "text-delta") answer += chunk.delta;
      const body = JSON.stringify(chunk);
      this.#sql.exec("INSERT INTO chunks (answer, body) VALUES (?, ?)", id, body);
      this.#broadcast(`{"id":${JSON.stringify(id)},"chunk":${body}}`);
    }
    this.#store({ id, role: "assistant", parts: [{ type: "text", text: answer }] });
    this.#running = null;
    this.#sql.exec("DELETE FROM chunks WHERE answer = ?", id);
    this.#broadcast(JSON.stringify({ id, done: true }));
  }

  #replay(socket: WebSocket, id: string): void {
    const chunks = this.#sql.exec<{ body: string }>("SELECT body FROM chunks WHERE answer = ? ORDER BY seq", id);
    for (const { body } of chunks) socket.send(`{"id":${JSON.stringify(id)},"chunk":${body}}`);
  }

  #store(message: { id: string; role: string; parts: unknown[] }): void {
    this.#sql.exec("INSERT INTO messages (id, body) VALUES (?, ?)", message.id, JSON.stringify(message));
  }

  override async webSocketClose(socket: WebSocket): Promise<void> {
    socket.close();
  }

  #broadcast(text: string): void {
    for (const socket of this.ctx.getWebSockets()) socket.send(text);
  }

  async seed(messages: number): Promise<void> {
    for (const message of historyOf(messages)) this.#store(message);
  }

  async drop(): Promise<void> {
    this.ctx.abort("dropped by the bench");
  }
}

/** The chunk of the UI stream that a part of the model's becomes. */
function chunkOf(part: LanguageModelV4StreamPart) {
  switch (part.type) {
    case "text-start":
    case "text-end":
      return { type: part.type, id: part.id };
    case "text-delta":
      return { type: part.type, id: part.id, delta: part.delta };
    case "finish":
      return { type: part.type };
    default:
      return null;
  }
}

interface Env {
  Assistant: DurableObjectNamespace<Assistant>;
}

export default {
  fetch: (request, env) =>
    route(request, env.Assistant, (request, name) => env.Assistant.getByName(name).fetch(request)),
} satisfies ExportedHandler<Env>;
