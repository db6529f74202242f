import { describe, expect, it } from "vitest";
import { chooseModel, type ModelEnv } from "./model-choice.ts";

const AI = {} as Ai;

const choices: readonly [claim: string, env: ModelEnv, source: string, name: string][] = [
  ["no variables give the demo model", {}, "demo", "demo"],
  ["empty variables count as missing", { OPENAI_API_KEY: "", OPENAI_BASE_URL: "" }, "demo", "demo"],
  ["an OpenAI key gives OpenAI with a default model", { OPENAI_API_KEY: "k" }, "openai", "gpt-5.4-mini"],
  ["OPENAI_MODEL names the model", { OPENAI_API_KEY: "k", OPENAI_MODEL: "m" }, "openai", "m"],
  [
    "a base URL wins over the key's own service",
    { OPENAI_BASE_URL: "http://localhost:11434/v1", OPENAI_MODEL: "m", OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" },
    "openai-compatible",
    "m",
  ],
  ["OpenAI wins over Anthropic", { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" }, "openai", "gpt-5.4-mini"],
  ["an Anthropic key gives Anthropic", { ANTHROPIC_API_KEY: "k", AI }, "anthropic", "claude-sonnet-5"],
  ["the AI binding gives Workers AI", { AI }, "workers-ai", "@cf/openai/gpt-oss-120b"],
  ["a base URL without a model is half a configuration", { OPENAI_BASE_URL: "http://h/v1" }, "misconfigured", "none"],
  ["a base URL must be one", { OPENAI_BASE_URL: "h:1", OPENAI_MODEL: "m" }, "misconfigured", "none"],
  ["an OpenAI model without a service is half a configuration", { OPENAI_MODEL: "m", AI }, "misconfigured", "none"],
  ["an Anthropic model without a key is half a configuration", { ANTHROPIC_MODEL: "m" }, "misconfigured", "none"],
  ["a Workers AI model without the binding is half", { WORKERS_AI_MODEL: "m" }, "misconfigured", "none"],
];

describe("chooseModel", () => {
  it.each(choices)("%s", (_, env, source, name) => {
    expect(chooseModel(env)).toMatchObject({ source, name });
  });

  it("never puts a key into the words for the page", () => {
    for (const env of [{ OPENAI_API_KEY: "sekret" }, { ANTHROPIC_API_KEY: "sekret" }]) {
      const { name, note } = chooseModel(env);
      expect(name + note).not.toContain("sekret");
    }
  });

  it("says which variable is missing", () => {
    expect(chooseModel({ OPENAI_BASE_URL: "http://h/v1" }).note).toContain("OPENAI_MODEL");
    expect(chooseModel({ OPENAI_MODEL: "m" }).note).toContain("OPENAI_API_KEY");
  });
});
