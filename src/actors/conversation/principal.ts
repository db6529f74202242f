/** Who is behind a socket, kept with the socket so that it survives hibernation; clients cannot see or set it. */
import type { Connection } from "agents";
import { registerInternalConnectionKeys } from "agents/websockets";
import type { ConversationHost } from "./host.ts";

const KEY = "_cf_troupe_principal";

registerInternalConnectionKeys(KEY);

export function rememberPrincipal(agent: ConversationHost, connection: Connection, principal: unknown): void {
  if (principal !== null) agent._unsafe_setConnectionFlag(connection, KEY, principal);
}

/** What `authorize("connect")` gave; null when it gave nothing. */
export function principalOf(agent: ConversationHost, connection: Connection): unknown {
  return agent._unsafe_getConnectionFlag(connection, KEY) ?? null;
}
