/** The clients that people have, and how a reader of the README knows them. */
export const clients = [
  { id: "ai-chat", title: "`useAgentChat` of `@cloudflare/ai-chat`", isSocket: true },
  { id: "think", title: "`useAgentChat` of `@cloudflare/think`", isSocket: true },
  { id: "agents", title: "`useAgentChat` of `agents`", isSocket: true },
  { id: "ai-sdk", title: "`useChat` of `@ai-sdk/react`", isSocket: false },
  { id: "curl", title: "`curl`", isSocket: false },
] as const;

/** Our own clients, which must do the same. */
export const ownClients = [
  { id: "own-delta", title: "`useAgentChat` of `troupe/react`, told what changes" },
  { id: "own-list", title: "`useAgentChat` of `troupe/react`, told whole lists" },
  { id: "own-transport", title: "`useChat` of `@ai-sdk/react` over `ConversationTransport`" },
] as const;

export type ClientId = (typeof clients)[number]["id"] | (typeof ownClients)[number]["id"];
