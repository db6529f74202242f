/**
 * Who is behind a socket, kept with the socket so that it survives hibernation;
 * clients cannot see or set it. A socket without it has not been let in (yet)
 * and gets nothing.
 */
import type { Connection } from "agents";
import { registerInternalConnectionKeys } from "agents/websockets";
import type { ConversationHost } from "./host.ts";

const KEY = "_cf_troupe_principal";

registerInternalConnectionKeys(KEY);

/** Lets a socket in, as what `authorize("connect")` gave; null when it gave nothing. */
export function letIn(agent: ConversationHost, connection: Connection, principal: unknown): void {
  agent._unsafe_setConnectionFlag(connection, KEY, { principal });
}

export function isLetIn(agent: ConversationHost, connection: Connection): boolean {
  return agent._unsafe_getConnectionFlag(connection, KEY) !== undefined;
}

/** What `authorize("connect")` gave; null when it gave nothing. */
export function principalOf(agent: ConversationHost, connection: Connection): unknown {
  const flag = agent._unsafe_getConnectionFlag(connection, KEY) as { principal: unknown } | undefined;
  return flag?.principal ?? null;
}
