/** HTTP of a chat agent in front of its `onRequest`, and the way into the agent's context. */
import type { Connection } from "agents";
import { LifecycleCapability } from "agents/lifecycle";
import type { ChatProtocolCallbacks, ChatProtocolHandler } from "./setup-chat-protocol.ts";

type HttpCallbacks = Pick<ChatProtocolCallbacks, "onHttpRequest" | "onUpgrade" | "getMessages">;

export class ChatRoutes extends LifecycleCapability implements ChatProtocolHandler {
  readonly #callbacks: HttpCallbacks;

  constructor(callbacks: HttpCallbacks) {
    super("troupe-chat");
    this.#callbacks = callbacks;
  }

  /** Called by the Agent for every HTTP request before its own `onRequest`. */
  onRequest({ request }: { request: Request }): Promise<Response | undefined> {
    return this.runInAgentContext(async () => {
      if (this.#callbacks.onHttpRequest !== undefined) return this.#callbacks.onHttpRequest(request);
      const isHistory = request.method === "GET" && new URL(request.url).pathname.endsWith("/get-messages");
      return isHistory ? Response.json(await this.#callbacks.getMessages()) : undefined;
    });
  }

  /** Called by the Agent for every upgrade before it accepts the socket. */
  onWebSocketUpgrade({ request }: { request: Request }): Promise<Response | undefined> {
    return this.runInAgentContext(() => this.#callbacks.onUpgrade?.(request));
  }

  async runInAgentContext<T>(body: () => T | Promise<T>, connection?: Connection): Promise<T> {
    const scope = connection === undefined ? undefined : { connection };
    return (await this.lifecycle.runInHostContext(body, scope)) as T;
  }

  ready(): Promise<void> {
    return this.lifecycle.ready();
  }
}
