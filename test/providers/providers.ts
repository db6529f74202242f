/** The providers under test, each speaking its own wire format to a server of ours. Runs in Node and in the Worker. */
import { anthropic, createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI, openai } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { defaultSettingsMiddleware, jsonSchema, type ToolSet, tool, wrapLanguageModel } from "ai";

export const WIRES = ["anthropic", "google", "openai-chat", "openai-responses"] as const;
export type Wire = (typeof WIRES)[number];

export interface Provider {
  readonly wire: Wire;
  /** A model of this provider that talks to the server at `baseURL`. */
  readonly open: (baseURL: string) => LanguageModelV4;
  /** Tools that the provider itself runs, under the names its recordings call them by. */
  readonly tools: ToolSet;
}

const apiKey = "not-a-real-key";

/** Keeps nothing on the provider's side, so that reasoning travels encrypted with each request. */
const stateless = defaultSettingsMiddleware({
  settings: { providerOptions: { openai: { store: false, include: ["reasoning.encrypted_content"] } } },
});

const openaiTools: ToolSet = {
  web_search: openai.tools.webSearch(),
  mcp: openai.tools.mcp({ serverLabel: "zip1", serverUrl: "https://mcp.example.com/" }),
};

export const providers = {
  anthropic: {
    wire: "anthropic",
    open: (baseURL) => createAnthropic({ baseURL, apiKey })("claude-sonnet-4-5"),
    tools: {
      web_search: anthropic.tools.webSearch_20250305(),
      code_execution: anthropic.tools.codeExecution_20250825(),
    },
  },
  google: {
    wire: "google",
    open: (baseURL) => createGoogle({ baseURL, apiKey })("gemini-3-pro-preview"),
    tools: {},
  },
  "openai-chat": {
    wire: "openai-chat",
    open: (baseURL) => createOpenAI({ baseURL, apiKey }).chat("gpt-5.4-mini"),
    tools: {},
  },
  "openai-compatible": {
    wire: "openai-chat",
    open: (baseURL) => createOpenAICompatible({ name: "compatible", baseURL, apiKey })("some-model"),
    tools: {},
  },
  "openai-responses": {
    wire: "openai-responses",
    open: (baseURL) => createOpenAI({ baseURL, apiKey }).responses("gpt-5.4"),
    tools: openaiTools,
  },
  "openai-responses-stateless": {
    wire: "openai-responses",
    open: (baseURL) =>
      wrapLanguageModel({ model: createOpenAI({ baseURL, apiKey }).responses("gpt-5.4"), middleware: stateless }),
    tools: openaiTools,
  },
} as const satisfies Readonly<Record<string, Provider>>;

export type ProviderName = keyof typeof providers;

/** The tools that recordings call by name. Each answers the same input with the same output. */
const functionTools: ToolSet = Object.fromEntries(
  ["weather", "cityAttractions", "calculator", "rollDie", "updateIssueList"].map((name) => [
    name,
    tool({
      description: `The ${name} of the recordings.`,
      inputSchema: jsonSchema<Record<string, unknown>>({ type: "object", additionalProperties: true }),
      execute: (input) => ({ [name]: "fine", asked: input }),
    }),
  ]),
);

export function toolsFor(name: ProviderName): ToolSet {
  return { ...functionTools, ...providers[name].tools };
}
