/**
 * Which model the app talks to, decided from its environment alone.
 *
 * The first rule whose variables are there wins; the built-in demo model needs
 * none. Half of a configuration is never guessed around: it is a choice that
 * says what is missing.
 */

/** The variables and bindings that decide. Empty strings count as missing. */
export interface ModelEnv {
  /** Base URL of a server that speaks OpenAI's chat completions, such as `http://localhost:11434/v1`. */
  readonly OPENAI_BASE_URL?: string;
  readonly OPENAI_API_KEY?: string;
  readonly OPENAI_MODEL?: string;
  readonly ANTHROPIC_API_KEY?: string;
  readonly ANTHROPIC_MODEL?: string;
  /** The Workers AI binding. */
  readonly AI?: Ai;
  readonly WORKERS_AI_MODEL?: string;
}

/** A decision: the model's name, where it comes from, and why, in words for the page. The rest is what opens it. */
export type ModelChoice = { readonly name: string; readonly note: string } & (
  | { readonly source: "openai-compatible"; readonly baseURL: string; readonly apiKey: string | undefined }
  | { readonly source: "openai" | "anthropic"; readonly apiKey: string }
  | { readonly source: "workers-ai"; readonly binding: Ai }
  | { readonly source: "demo" }
  /** No model can be used; `note` says what to set. */
  | { readonly source: "misconfigured" }
);

const DEFAULT_OPENAI_MODEL = "gpt-5.4-mini";
const DEFAULT_ANTHROPIC_MODEL = "claude-sonnet-5";
const DEFAULT_WORKERS_AI_MODEL = "@cf/openai/gpt-oss-120b";

export function chooseModel(env: ModelEnv): ModelChoice {
  return chooseOpenAI(env) ?? chooseAnthropic(env) ?? chooseWorkersAI(env) ?? demo;
}

const demo: ModelChoice = {
  source: "demo",
  name: "demo",
  note: "No model is configured, so the built-in demo model answers. It needs no network. Set OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENAI_BASE_URL with OPENAI_MODEL, or add an AI binding, to talk to a real one.",
};

function chooseOpenAI(env: ModelEnv): ModelChoice | undefined {
  const { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey, OPENAI_MODEL: name } = env;
  if (baseURL) return compatible(baseURL, name, apiKey);
  if (apiKey) return { source: "openai", name: name || DEFAULT_OPENAI_MODEL, note: "OPENAI_API_KEY is set.", apiKey };
  return name
    ? misconfigured("OPENAI_MODEL is set, but neither OPENAI_API_KEY nor OPENAI_BASE_URL. Set one of them.")
    : undefined;
}

function compatible(baseURL: string, name: string | undefined, apiKey: string | undefined): ModelChoice {
  if (!URL.canParse(baseURL) || !/^https?:/.test(baseURL)) {
    return misconfigured("OPENAI_BASE_URL is not an http or https URL.");
  }
  if (!name)
    return misconfigured("OPENAI_BASE_URL is set, but not OPENAI_MODEL. Name the model the server should use.");
  return { source: "openai-compatible", name, note: `The server is ${new URL(baseURL).origin}.`, baseURL, apiKey };
}

function chooseAnthropic({ ANTHROPIC_API_KEY: apiKey, ANTHROPIC_MODEL: name }: ModelEnv): ModelChoice | undefined {
  if (apiKey) {
    return { source: "anthropic", name: name || DEFAULT_ANTHROPIC_MODEL, note: "ANTHROPIC_API_KEY is set.", apiKey };
  }
  return name ? misconfigured("ANTHROPIC_MODEL is set, but not ANTHROPIC_API_KEY. Set it too.") : undefined;
}

function chooseWorkersAI({ AI: binding, WORKERS_AI_MODEL: name }: ModelEnv): ModelChoice | undefined {
  if (binding) {
    return { source: "workers-ai", name: name || DEFAULT_WORKERS_AI_MODEL, note: "The AI binding is there.", binding };
  }
  return name ? misconfigured("WORKERS_AI_MODEL is set, but there is no AI binding. Add one.") : undefined;
}

function misconfigured(note: string): ModelChoice {
  return { source: "misconfigured", name: "none", note };
}
