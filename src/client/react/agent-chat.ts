/**
 * What `useAgentChat` does that is not React's: the client of one conversation
 * over an agent's connection, and the actions on it.
 */
import type { UIMessage } from "ai";
import { TroupeError } from "../../shared/errors.ts";
import { ChatClient } from "../chat-client.ts";
import type { TurnEnding } from "../chat-state.ts";
import { readPageAt } from "../address.ts";
import type { GetMessagesByUrl } from "../get-agent-messages.ts";
import type { ChatView } from "../view.ts";
import type { AgentChat, DataChunk, NewMessage, SendOptions, UseAgentChatOptions } from "./agent-chat-options.ts";
import { type AgentConnection, httpUrlOf } from "./agent-socket.ts";
import { newMessage } from "./new-message.ts";

type Actions = Pick<
  AgentChat,
  "sendMessage" | "regenerate" | "stop" | "resume" | "setMessages" | "clearHistory" | "clearError" | "loadOlder"
>;

export interface AgentConversation {
  readonly client: ChatClient;
  readonly actions: Actions;
}

/**
 * The client of one conversation and the actions on it. `options` are those it
 * begins with; `latest` gives them as they are when something happens.
 */
export function agentConversation(
  messages: readonly UIMessage[],
  options: UseAgentChatOptions,
  latest: () => UseAgentChatOptions,
): AgentConversation {
  const { agent, resume = true, onData } = options;
  const identity = identityOf(httpUrlOf(agent));
  const client = new ChatClient({
    agent: agent.agent,
    name: agent.name,
    messages,
    resume,
    readPage: async (_, page) => readPageAt(pageUrl(identity, latest().agent), page, requestInit(latest())),
    onTurnEnd: (ending) => tellEnd(client, ending, latest()),
    ...(onData && {
      onChunk: (chunk) => {
        if (chunk.type.startsWith("data-")) latest().onData?.(chunk as DataChunk);
      },
    }),
  });
  return { client, actions: actionsOf(client, latest) };
}

/** Where pages are read. The address may hold a newer token; one of another conversation is not asked for this one's pages. */
function pageUrl(identity: string | null, agent: AgentConnection): string {
  const url = httpUrlOf(agent);
  if (identity !== null && identityOf(url) === identity) return messagesUrl(url);
  throw new TroupeError("conflict", "The agent's connection leads to another conversation.", { retryable: true });
}

/** `…/get-messages` below the agent's address, with its query; `""` without an address. */
export function messagesUrl(httpUrl: string): string {
  if (httpUrl === "") return "";
  const url = new URL(httpUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/get-messages`;
  return url.href;
}

export function requestInit({ headers, credentials }: UseAgentChatOptions): Omit<GetMessagesByUrl, "url"> {
  return { ...(headers === undefined ? {} : { headers }), ...(credentials === undefined ? {} : { credentials }) };
}

/** Which conversation it is: the address without its query, which may hold secrets. Null as long as there is none. */
export function identityOf(httpUrl: string): string | null {
  if (httpUrl === "") return null;
  const { origin, pathname } = new URL(httpUrl);
  return `${origin}${pathname}`;
}

/** What is seen of the view: the hook's words for it. */
export function chatOf(
  view: ChatView,
): Pick<
  AgentChat,
  "messages" | "status" | "isStreaming" | "isServerStreaming" | "isRecovering" | "isToolContinuation" | "hasMore"
> {
  const { messages, isRecovering, isContinuation, hasMore } = view;
  const isServerStreaming = view.isObserved;
  const own = view.waitingIds.length > 0 ? "submitted" : "ready";
  const status = isServerStreaming ? own : view.status;
  const isStreaming = status === "streaming" || isServerStreaming;
  return {
    messages,
    status,
    isStreaming,
    isServerStreaming,
    isRecovering,
    isToolContinuation: isContinuation,
    hasMore,
  };
}

function tellEnd(client: ChatClient, ending: TurnEnding, options: UseAgentChatOptions): void {
  const { requestId, outcome, text } = ending;
  const isError = outcome === "error";
  options.onTurnEnd?.({ requestId, outcome, ...(isError ? { error: text } : {}) });
  if (isError) options.onError?.(new TroupeError(ending.code, text, { retryable: ending.isRetryable }));
  const { messages } = client.getSnapshot();
  const message = messages.at(-1);
  if (message?.role !== "assistant") return;
  options.onFinish?.({ message, messages, isAbort: outcome === "aborted", isError });
}

function actionsOf(client: ChatClient, latest: () => UseAgentChatOptions): Actions {
  const send = async (given: NewMessage, options: SendOptions = {}) => {
    const made = newMessage(given);
    const message = made instanceof Promise ? await made : made;
    if (message === null) return;
    const body = bodyOf(latest(), options);
    const request = { body: body instanceof Promise ? await body : body };
    await ended(client, () => client.submit([message], request));
  };
  const regenerate: Actions["regenerate"] = async ({ messageId, ...options } = {}) => {
    const body = bodyOf(latest(), options);
    const request = { messageId, body: body instanceof Promise ? await body : body };
    await ended(client, () => client.regenerate(request));
  };
  return {
    sendMessage: send,
    regenerate,
    stop: async () => client.stop(),
    resume: () => client.resume(),
    setMessages: (messages) =>
      client.setMessages(typeof messages === "function" ? messages(client.getSnapshot().messages) : messages),
    clearHistory: () => client.clear(),
    clearError: () => client.clearError(),
    loadOlder: () => client.loadOlder(),
  };
}

type Body = Readonly<Record<string, unknown>>;

/** The fields of the hook, then those of the call. Read at once unless the hook's take time. */
function bodyOf({ body }: UseAgentChatOptions, options: SendOptions): Body | Promise<Body> {
  const own = typeof body === "function" ? body() : body;
  const merged = (fields: Body | undefined) => ({ ...fields, ...options.body });
  return own instanceof Promise ? own.then(merged) : merged(own);
}

/** Resolves when the request that `ask` makes has ended. */
function ended(client: ChatClient, ask: () => string | null): Promise<void> {
  return new Promise((resolve) => {
    const over = new Set<string>();
    let requestId: string | null = null;
    const stop = client.watch({
      onTurnEnd: (ending) => {
        over.add(ending.requestId);
        if (requestId !== null) settle();
      },
    });
    const settle = () => {
      if (requestId !== null && !over.has(requestId)) return;
      stop();
      resolve();
    };
    try {
      requestId = ask();
    } catch (error) {
      stop();
      throw error;
    }
    settle();
  });
}
