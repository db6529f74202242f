import type { UIMessage } from "ai";
import { use, useEffect, useLayoutEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { TroupeError } from "../../shared/errors.ts";
import { getAgentMessages } from "../get-agent-messages.ts";
import {
  type AgentConversation,
  agentConversation,
  chatOf,
  identityOf,
  messagesUrl,
  requestInit,
} from "./agent-chat.ts";
import type { AgentChat, UseAgentChatOptions } from "./agent-chat-options.ts";
import type { ChatView } from "../view.ts";
import { type AgentConnection, agentSocket, httpUrlOf } from "./agent-socket.ts";
import { holdMessages, initialMessages } from "./initial-messages.ts";

const nothing: readonly UIMessage[] = [];

/**
 * The chat of an agent's connection, in the words of the Agents SDK's hook:
 *
 * ```tsx
 * const agent = useAgent({ agent: "assistant", name: "my-chat" });
 * const { messages, sendMessage, status, stop } = useAgentChat({ agent });
 * ```
 *
 * Another address is another conversation: nothing of the one before is shown
 * or sent there. A new connection to the same address, with another token for
 * example, goes on with what is there. As long as the agent has no address,
 * nothing is read or sent.
 */
export function useAgentChat<M extends UIMessage = UIMessage>(options: UseAgentChatOptions<M>): AgentChat<M> {
  // Messages of any shape travel as they are; only the caller knows their metadata and data.
  const plain = options as unknown as UseAgentChatOptions;
  const { agent } = plain;
  const httpUrl = httpUrlOf(agent);
  const identity = identityOf(httpUrl);
  const begun = useInitial(plain, identity, httpUrl);
  const latest = useLatest(plain);
  const { client, actions } = useMemo((): AgentConversation => {
    return agentConversation(begun, plain, latest);
    // The identity of a conversation is where it is found; everything else counts when something happens.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [identity]);
  useEffect(() => {
    if (identity === null) return;
    const isOpen = agent.readyState === 1;
    client.connect(() => agentSocket(agent));
    // What the server says first was said before anybody listened.
    if (isOpen) client.refresh();
    return () => client.close();
  }, [client, agent, identity]);
  const view = useSyncExternalStore(client.subscribe, client.getSnapshot, client.getSnapshot);
  const error = useError(view);
  const connectionError = useConnectionError(agent, view);
  const chat = useMemo(
    () => ({ ...chatOf(view), ...actions, error, connectionError }),
    [view, actions, error, connectionError],
  );
  return chat as unknown as AgentChat<M>;
}

/** The messages to begin with; suspends while they are read. */
function useInitial(options: UseAgentChatOptions, identity: string | null, httpUrl: string): readonly UIMessage[] {
  const { agent, getInitialMessages, messages = nothing } = options;
  const isRead = getInitialMessages !== null && identity !== null;
  useEffect(() => {
    if (!isRead) return undefined;
    return holdMessages(identity);
  }, [isRead, identity]);
  if (!isRead) return messages;
  const url = messagesUrl(httpUrl);
  const read = () =>
    getInitialMessages === undefined
      ? getAgentMessages({ url, ...requestInit(options) })
      : getInitialMessages({ agent: agent.agent, name: agent.name, url });
  return use(initialMessages(identity, read));
}

/** The same object as long as it says the same. */
function useError({ error }: ChatView): TroupeError | undefined {
  const { code, message = "", retryable = false } = error ?? {};
  return useMemo(
    () => (code === undefined ? undefined : new TroupeError(code, message, { retryable })),
    [code, message, retryable],
  );
}

function useConnectionError(agent: AgentConnection, { connectionError }: ChatView): Error | null {
  const message = connectionError?.message;
  const own = useMemo(() => (message === undefined ? null : new Error(message)), [message]);
  return agent.connectionError ?? own;
}

/** The options of the last render that came to be. */
function useLatest(options: UseAgentChatOptions): () => UseAgentChatOptions {
  const ref = useRef(options);
  useLayoutEffect(() => {
    ref.current = options;
  });
  return useMemo(() => () => ref.current, []);
}
