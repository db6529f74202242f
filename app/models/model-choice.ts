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

/** A decision: the model's name, where it comes from, and why, in words for the page. */
export type ModelChoice =
  | { readonly source: "openai-compatible"; readonly name: string; readonly note: string; readonly baseURL: string }
  | { readonly source: "openai" | "anthropic" | "workers-ai" | "demo"; readonly name: string; readonly note: string }
  /** No model can be used; `note` says what to set. */
  | { readonly source: "misconfigured"; readonly name: "none"; readonly note: string };

const DEFAULT_OPENAI_MODEL = "gpt-5.4-mini";
const DEFAULT_ANTHROPIC_MODEL = "claude-sonnet-5";
const DEFAULT_WORKERS_AI_MODEL = "@cf/openai/gpt-oss-120b";

export function chooseModel(env: ModelEnv): ModelChoice {
  if (env.OPENAI_BASE_URL) return compatible(env.OPENAI_BASE_URL, env.OPENAI_MODEL);
  if (env.OPENAI_API_KEY) {
    return { source: "openai", name: env.OPENAI_MODEL || DEFAULT_OPENAI_MODEL, note: "OPENAI_API_KEY is set." };
  }
  if (env.OPENAI_MODEL) {
    return misconfigured("OPENAI_MODEL is set, but neither OPENAI_API_KEY nor OPENAI_BASE_URL. Set one of them.");
  }
  if (env.ANTHROPIC_API_KEY) {
    const name = env.ANTHROPIC_MODEL || DEFAULT_ANTHROPIC_MODEL;
    return { source: "anthropic", name, note: "ANTHROPIC_API_KEY is set." };
  }
  if (env.ANTHROPIC_MODEL) return misconfigured("ANTHROPIC_MODEL is set, but not ANTHROPIC_API_KEY. Set it too.");
  if (env.AI) {
    const name = env.WORKERS_AI_MODEL || DEFAULT_WORKERS_AI_MODEL;
    return { source: "workers-ai", name, note: "The AI binding is there." };
  }
  if (env.WORKERS_AI_MODEL) return misconfigured("WORKERS_AI_MODEL is set, but there is no AI binding. Add one.");
  return {
    source: "demo",
    name: "demo",
    note: "No model is configured, so the built-in demo model answers. It needs no network. Set OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENAI_BASE_URL with OPENAI_MODEL, or add an AI binding, to talk to a real one.",
  };
}

function compatible(baseURL: string, name: string | undefined): ModelChoice {
  if (!URL.canParse(baseURL) || !/^https?:/.test(baseURL)) {
    return misconfigured(`OPENAI_BASE_URL is "${baseURL}", which is not an http or https URL.`);
  }
  if (!name)
    return misconfigured("OPENAI_BASE_URL is set, but not OPENAI_MODEL. Name the model the server should use.");
  return { source: "openai-compatible", name, note: `OPENAI_BASE_URL is ${new URL(baseURL).origin}.`, baseURL };
}

function misconfigured(note: string): ModelChoice {
  return { source: "misconfigured", name: "none", note };
}
