/** The Worker in which recordings of real providers are played: one conversation for each run. */
import { getAgentByName, routeAgentRequest } from "agents";
import { convertToModelMessages } from "ai";
import { Conversation } from "../../../src/index.ts";
import { MAX_STEPS, SYSTEM, runOf } from "../../providers/conversation-under-test.ts";
import { providers, toolsFor } from "../../providers/providers.ts";

export { StreamBuffer } from "../../../src/index.ts";

interface Env extends Cloudflare.Env {
  readonly ProviderAgent: DurableObjectNamespace<ProviderAgent>;
  readonly REPLAY_URL: string;
}

/** A conversation whose name says which provider it talks to, and which run the server plays. */
export class ProviderAgent extends Conversation<Env> {
  override getModel() {
    const { provider, key } = runOf(this.name);
    return providers[provider].open(`${this.env.REPLAY_URL}/${key}`);
  }

  override getSystemPrompt() {
    return SYSTEM;
  }

  override getTools() {
    return toolsFor(runOf(this.name).provider);
  }

  override getMaxSteps() {
    return MAX_STEPS;
  }

  override assembleContext() {
    return runOf(this.name).prompt === "default" ? super.assembleContext() : convertToModelMessages(this.messages);
  }

  /** Loses its memory, as when the machine goes away; what is stored stays. */
  async restart() {
    this.ctx.abort("restart");
  }
}

export default {
  async fetch(request, env) {
    const restarted = /^\/restart\/(.+)/.exec(new URL(request.url).pathname)?.[1];
    if (restarted === undefined) return (await routeAgentRequest(request, env)) ?? new Response(null, { status: 404 });
    const agent = await getAgentByName(env.ProviderAgent, decodeURIComponent(restarted));
    await agent.restart().catch(() => undefined);
    return new Response("restarted");
  },
} satisfies ExportedHandler<Env>;
