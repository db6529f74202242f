import type { UIMessage } from "ai";

export interface GetAgentMessagesOptions {
  /** An origin, such as `https://chat.example.com`. */
  readonly host: string;
  /** The agent's class, such as `ChatAgent` or `chat-agent`. */
  readonly agent: string;
  /** The name of the conversation. */
  readonly name: string;
  readonly credentials?: RequestCredentials;
  readonly headers?: HeadersInit;
}

/** The same, for a conversation that is not found under `/agents`: `url` ends in `/get-messages`. */
export interface GetMessagesByUrl extends Pick<GetAgentMessagesOptions, "credentials" | "headers"> {
  readonly url: string;
}

/**
 * Reads a conversation over HTTP, for a loader that runs before the page does:
 * all its messages, oldest first. What cannot be read is told on the console
 * and counts as no messages, so that a page can begin without them; only a
 * network that fails rejects.
 *
 * ```ts
 * const messages = await getAgentMessages({ host: "https://chat.example.com", agent: "ChatAgent", name: "my-chat" });
 * ```
 */
export async function getAgentMessages<M extends UIMessage = UIMessage>(
  options: GetAgentMessagesOptions | GetMessagesByUrl,
): Promise<M[]> {
  const url = "url" in options ? options.url : urlOf(options);
  const { credentials, headers } = options;
  const response = await fetch(url, { ...(credentials && { credentials }), ...(headers && { headers }) });
  const text = response.ok ? await response.text() : "";
  if (!response.ok) console.warn(`Reading messages failed with HTTP ${response.status}.`);
  const messages = text.trim() === "" ? [] : parse(text);
  return Array.isArray(messages) ? (messages as M[]) : [];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    console.warn("Reading messages brought no JSON.", error);
    return null;
  }
}

function urlOf({ host, agent, name }: GetAgentMessagesOptions): string {
  return `${host.replace(/\/+$/, "")}/agents/${kebabCase(agent)}/${encodeURIComponent(name)}/get-messages`;
}

/** As the Agents SDK names agents in URLs: `ChatAgent` → `chat-agent`, `MyAIAgent` → `my-a-i-agent`, `CHAT_AGENT` → `chat-agent`. */
export function kebabCase(agent: string): string {
  const isUpper = agent === agent.toUpperCase() && agent !== agent.toLowerCase();
  const dashed = isUpper ? agent : agent.replace(/[A-Z]/g, "-$&");
  return dashed.toLowerCase().replace(/^-/, "").replaceAll("_", "-").replace(/-$/, "");
}
