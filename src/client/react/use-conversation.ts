import { useEffect, useMemo, useSyncExternalStore } from "react";
import { ChatClient } from "../chat-client.ts";
import type { ChatClientOptions } from "../chat-options.ts";
import type { ChatView } from "../view.ts";

/** What the conversation shows, and what can be done with it. The functions never change. */
export interface Conversation extends ChatView {
  readonly send: ChatClient["send"];
  readonly stop: ChatClient["stop"];
  readonly retry: ChatClient["retry"];
  readonly clear: ChatClient["clear"];
  readonly loadOlder: ChatClient["loadOlder"];
  /** Tries again after the link was closed for good; otherwise the link looks after itself. */
  readonly connect: () => void;
}

/**
 * Connects while the component is mounted and renders on every visible change.
 * Another agent, name or host is another conversation; the other options count
 * when that begins.
 */
export function useConversation(options: ChatClientOptions): Conversation {
  const { agent, name, host } = options;
  const { client, actions } = useMemo(() => {
    const client = new ChatClient(options);
    return { client, actions: actionsOf(client) };
    // The identity of a conversation is where it is found, whatever object says so.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [agent, name, host]);
  useEffect(() => {
    client.connect();
    return () => client.close();
  }, [client]);
  const view = useSyncExternalStore(client.subscribe, client.getSnapshot, client.getSnapshot);
  return { ...view, ...actions };
}

function actionsOf(client: ChatClient): Omit<Conversation, keyof ChatView> {
  return {
    send: (content) => client.send(content),
    stop: () => client.stop(),
    retry: () => client.retry(),
    clear: () => client.clear(),
    loadOlder: () => client.loadOlder(),
    connect: () => client.connect(),
  };
}
