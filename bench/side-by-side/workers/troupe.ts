/** Subject: Troupe. `Apart` is the same with joining off. */
import { routeAgentRequest } from "agents";
import type { LanguageModel } from "ai";
import { Conversation, StreamBuffer } from "troupe";
import { historyOf } from "../history.ts";
import { route } from "./route.ts";
import { Speaker } from "./speaker.ts";

export { StreamBuffer };

export class Assistant extends Conversation<Env> {
  override getModel(): LanguageModel {
    return new Speaker();
  }

  async seed(messages: number): Promise<void> {
    this.messages = historyOf(messages);
  }

  async drop(): Promise<void> {
    this.ctx.abort("dropped by the bench");
  }
}

export class Apart extends Assistant {
  override joinDeltasMs = 0;
}

interface Env {
  Assistant: DurableObjectNamespace<Assistant>;
  Apart: DurableObjectNamespace<Apart>;
}

export default {
  fetch: (request, env) => route(request, env.Assistant, () => routeAgentRequest(request, env)),
} satisfies ExportedHandler<Env>;
