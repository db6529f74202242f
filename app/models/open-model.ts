import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";
import { createWorkersAI } from "workers-ai-provider";
import { demoModel } from "./demo-model.ts";
import { chooseModel, type ModelEnv } from "./model-choice.ts";

/** The language model that `chooseModel` decides on. Throws with its note when the environment is half configured. */
export function openModel(env: ModelEnv): LanguageModel {
  const choice = chooseModel(env);
  switch (choice.source) {
    case "openai-compatible":
      return createOpenAICompatible({
        name: "openai-compatible",
        baseURL: choice.baseURL,
        includeUsage: true,
        ...(env.OPENAI_API_KEY ? { apiKey: env.OPENAI_API_KEY } : {}),
      })(choice.name);
    case "openai":
      return createOpenAI({ apiKey: env.OPENAI_API_KEY ?? "" })(choice.name);
    case "anthropic":
      return createAnthropic({ apiKey: env.ANTHROPIC_API_KEY ?? "" })(choice.name);
    case "workers-ai":
      if (!env.AI) throw new Error("The AI binding is missing.");
      return createWorkersAI({ binding: env.AI })(choice.name);
    case "demo":
      return demoModel();
    case "misconfigured":
      throw new Error(choice.note);
  }
}
