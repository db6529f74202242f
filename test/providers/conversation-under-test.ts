/** What the Worker and the tests agree on. */
import { type ProviderName, providers } from "./providers.ts";

export const SYSTEM = "Answer briefly.";
export const MAX_STEPS = 25;

export interface RunName {
  readonly provider: ProviderName;
  /** The run's key at the replay server. */
  readonly key: string;
  /** `whole`: the model sees every message as it is. `default`: what the conversation makes of them by itself. */
  readonly prompt: "whole" | "default";
}

/** The name of the conversation for a run. */
export function nameOf({ provider, key, prompt }: RunName): string {
  return `${provider}.${prompt}.${key}`;
}

export function runOf(name: string): RunName {
  const [provider = "", prompt, key = ""] = name.split(".");
  if (!Object.hasOwn(providers, provider)) throw new Error(`"${name}" names no provider`);
  return { provider: provider as ProviderName, prompt: prompt === "default" ? "default" : "whole", key };
}
