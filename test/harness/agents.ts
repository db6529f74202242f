/** Conversations for tests. Each is driven through `stage(name)`: its model, its hooks, its faults. */
import type { AgentContext, Connection, WSMessage } from "agents";
import { Agent } from "agents";
import type { LanguageModel, ToolSet, UIMessage } from "ai";
import { Conversation, type Action, type Authorization, type StreamBufferContract, type Who } from "../../src/index.ts";
import type { ChatErrorContext, ChatResult, OnChatMessageOptions } from "../../src/index.ts";
import { StreamBuffer as PlainStreamBuffer } from "../../src/actors/stream-buffer/stream-buffer.ts";
import { instrument, point } from "./counters.ts";
import { say, ScriptedModel } from "./scripted-model.ts";

/** What a test puts behind one conversation. Everything is optional; the default model says "ok". */
export interface Stage {
  model?: LanguageModel;
  tools?: ToolSet;
  onChatMessage?: (options: OnChatMessageOptions | undefined, self: Conversation) => ChatResult | Promise<ChatResult>;
  onChatError?: (error: unknown, context: ChatErrorContext) => unknown;
  onSanitizeMessage?: (message: UIMessage) => UIMessage;
  authorize?: (action: Action, who: Who) => Authorization | Promise<Authorization>;
  buffer?: (real: StreamBufferContract) => StreamBufferContract;
  configure?: (self: Conversation) => void;
  /** Calls of the StreamBuffer by verb. */
  readonly calls: Record<string, number>;
  /** What the user's own handlers saw. */
  readonly seen: string[];
}

const stages = new Map<string, Stage>();

export function stage(name: string): Stage {
  const found = stages.get(name) ?? { calls: {}, seen: [] };
  stages.set(name, found);
  return found;
}

export class TestConversation extends Conversation {
  constructor(ctx: AgentContext, env: Cloudflare.Env) {
    super(instrument(ctx, `conversation:${ctx.id.name}`), env);
    stage(this.name).configure?.(this);
  }

  get #stage(): Stage {
    return stage(this.name);
  }

  override getModel(): LanguageModel {
    return (this.#stage.model ??= new ScriptedModel(() => say("ok")));
  }

  override getTools(): ToolSet {
    return this.#stage.tools ?? {};
  }

  override async onChatMessage(options?: OnChatMessageOptions): Promise<ChatResult> {
    const own = this.#stage.onChatMessage;
    return own === undefined ? super.onChatMessage(options) : own(options, this);
  }

  override onChatError(error: unknown, context: ChatErrorContext): unknown {
    return this.#stage.onChatError === undefined
      ? super.onChatError(error, context)
      : this.#stage.onChatError(error, context);
  }

  override onSanitizeMessage(message: UIMessage): UIMessage {
    return this.#stage.onSanitizeMessage?.(message) ?? message;
  }

  override authorize(action: Action, who: Who): Authorization | Promise<Authorization> {
    return this.#stage.authorize?.(action, who) ?? super.authorize(action, who);
  }

  override streamBufferActor(): StreamBufferContract {
    const real = super.streamBufferActor();
    const own = this.#stage.buffer?.(real) ?? real;
    const { calls } = this.#stage;
    return new Proxy(own, {
      get: (target, verb: string) => async (request: never) => {
        calls[verb] = (calls[verb] ?? 0) + 1;
        point(this.ctx, `conversation:${this.name}`);
        const result = await (target[verb as keyof StreamBufferContract] as (request: never) => unknown)(request);
        point(this.ctx, `conversation:${this.name}`);
        return result;
      },
    });
  }

  override onMessage(connection: Connection, message: WSMessage): void {
    this.#stage.seen.push(`message ${typeof message === "string" ? message : "binary"}`);
    connection.send(`echo ${typeof message === "string" ? message : "binary"}`);
  }

  override onConnect(): void {
    this.#stage.seen.push("connect");
  }

  override onClose(): void {
    this.#stage.seen.push("close");
  }

  override onRequest(request: Request): Response {
    this.#stage.seen.push(`request ${new URL(request.url).pathname}`);
    return new Response("yours");
  }
}

/** The Agent alone, to compare costs with. */
export class BareAgent extends Agent {
  constructor(ctx: AgentContext, env: Cloudflare.Env) {
    super(instrument(ctx, `bare:${ctx.id.name}`), env);
  }

  override onRequest(): Response {
    return new Response("pong");
  }
}

/** A StreamBuffer whose storage is counted, under the name of the conversation it is a facet of. */
export class StreamBuffer extends PlainStreamBuffer {
  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(instrument(ctx, `buffer:${ctx.id.name}`), env);
  }
}
