/** The Worker that the kill tests run: a conversation whose model answers by the script, at the pace it is asked for. */
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import { routeAgentRequest } from "agents";
import type { LanguageModel } from "ai";
import { Conversation, StreamBuffer } from "troupe";
import { type Beat, finish, ScriptedModel, text } from "../../harness/scripted-model.ts";
import { type Ask, deltasAfter } from "./script.ts";

export { StreamBuffer };

export class Assistant extends Conversation<Env> {
  override getModel(): LanguageModel {
    return new ScriptedModel(answer);
  }
}

function* answer({ prompt }: LanguageModelV4CallOptions): Generator<Beat> {
  const asked = prompt.findLastIndex(({ role }) => role === "user");
  const ask = JSON.parse(textOf(prompt[asked])) as Ask;
  // A turn that goes on after a crash shows the model what it has said.
  const written = prompt
    .slice(asked + 1)
    .map(textOf)
    .join("");
  for (const beat of text(...deltasAfter(ask, written))) {
    if (ask.paceMs > 0) yield scheduler.wait(ask.paceMs);
    yield beat;
  }
  yield finish();
}

function textOf(message: LanguageModelV4Message | undefined): string {
  if (message?.role !== "user" && message?.role !== "assistant") return "";
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

interface Env {
  Assistant: DurableObjectNamespace<Assistant>;
}

export default {
  fetch: async (request, env) => (await routeAgentRequest(request, env)) ?? new Response("scripted assistant"),
} satisfies ExportedHandler<Env>;
