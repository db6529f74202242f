/** Bare agents for tests: real objects with SQLite, each test with its own. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { BareAgent } from "./agents.ts";

const namespace = (env as unknown as { BareAgent: DurableObjectNamespace<BareAgent> }).BareAgent;

/** Runs `body` inside a new agent. */
export function inBareAgent<T>(body: (agent: BareAgent) => T | Promise<T>): Promise<T> {
  const name = crypto.randomUUID();
  return runInDurableObject(namespace.get(namespace.idFromName(name)), body);
}
