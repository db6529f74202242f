/** Subject: `@cloudflare/ai-chat` as published, answering with `streamText`. */
import { AIChatAgent } from "@cloudflare/ai-chat";
import { routeAgentRequest } from "agents";
import { convertToModelMessages, streamText } from "ai";
import { historyOf } from "../side-by-side/history.ts";
import { route } from "../side-by-side/workers/route.ts";
import { Speaker } from "../side-by-side/workers/speaker.ts";

export class Assistant extends AIChatAgent {
  /**
   * @param {unknown} _
   * @param {{ abortSignal?: AbortSignal }} [options]
   */
  async onChatMessage(_, options) {
    return streamText({
      model: new Speaker(),
      messages: await convertToModelMessages(this.messages),
      abortSignal: options?.abortSignal,
    }).toUIMessageStreamResponse();
  }

  /** @param {number} messages */
  async seed(messages) {
    await this.persistMessages(historyOf(messages));
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
