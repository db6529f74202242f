/** Subject: `@cloudflare/think` as published, with nothing but a model. */
import { Think } from "@cloudflare/think";
import { routeAgentRequest } from "agents";
import { historyOf } from "../side-by-side/history.ts";
import { route } from "../side-by-side/workers/route.ts";
import { Speaker } from "../side-by-side/workers/speaker.ts";

export class Assistant extends Think {
  getModel() {
    return new Speaker();
  }

  /** @param {number} messages */
  async seed(messages) {
    // `addMessages` takes minutes for some thousands; this is the store below it.
    for (const message of historyOf(messages)) await this.session.appendMessage(message);
  }

  async drop() {
    this.ctx.abort("dropped by the bench");
  }
}

export default {
  /**
   * @param {Request} request
   * @param {{ Assistant: DurableObjectNamespace<Assistant> }} env
   */
  fetch: (request, env) => route(request, env.Assistant, () => routeAgentRequest(request, env)),
};
