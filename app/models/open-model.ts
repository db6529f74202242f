import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";
import { TroupeError } from "troupe";
import { createWorkersAI } from "workers-ai-provider";
import { demoModel } from "./demo-model.ts";
import { chooseModel, type ModelEnv } from "./model-choice.ts";

/** The language model that `chooseModel` decides on. Throws a `no_model` error with its note, which clients may see, when the environment is half configured. */
export function openModel(env: ModelEnv): LanguageModel {
  const choice = chooseModel(env);
  switch (choice.source) {
    case "openai-compatible":
      return createOpenAICompatible({
        name: "openai-compatible",
        baseURL: choice.baseURL,
        includeUsage: true,
        ...(choice.apiKey ? { apiKey: choice.apiKey } : {}),
      })(choice.name);
    case "openai":
      return createOpenAI({ apiKey: choice.apiKey })(choice.name);
    case "anthropic":
      return createAnthropic({ apiKey: choice.apiKey })(choice.name);
    case "workers-ai":
      return createWorkersAI({ binding: choice.binding })(choice.name);
    case "demo":
      return demoModel();
    case "misconfigured":
      throw new TroupeError("no_model", choice.note);
  }
}
