/** Our own clients on the same page: the hook over `useAgent`, by each form of the protocol, and the AI SDK's chat over our socket. */
import { useChat } from "@ai-sdk/react";
import { useAgent } from "agents/react";
import { use, useEffect, useState, useSyncExternalStore } from "react";
import { ConversationTransport } from "../../../src/client/ai-sdk/index.ts";
import { ChatClient } from "../../../src/client/index.ts";
import { getAgentMessages, useAgentChat } from "../../../src/client/react/index.ts";
import { ChatView } from "./chat-view.tsx";

function agentChat(query: Record<string, string>) {
  return function AgentChat({ name }: { readonly name: string }) {
    const agent = useAgent({ agent: "assistant", name, query, minReconnectionDelay: 50 });
    const chat = useAgentChat({ agent });
    return (
      <ChatView
        messages={chat.messages}
        isBusy={chat.isStreaming || chat.status === "submitted"}
        error={chat.error}
        send={(text) => void chat.sendMessage({ text })}
        stop={() => void chat.stop()}
        clear={() => chat.clearHistory()}
      />
    );
  };
}

export const DeltaChat = agentChat({ "chat-capabilities": "delta,cursor" });
export const ListChat = agentChat({});

const name = new URL(location.href).searchParams.get("name") ?? "";
const stored = getAgentMessages({ host: location.origin, agent: "Assistant", name });

export function TransportChat() {
  const messages = use(stored);
  const [client] = useState(() => new ChatClient({ agent: "assistant", name, messages }));
  const [transport] = useState(() => new ConversationTransport(client));
  const chat = useChat({ id: name, transport, messages, resume: true });
  const { setMessages } = chat;
  const isBusy = chat.status === "submitted" || chat.status === "streaming";
  const told = useSyncExternalStore(client.subscribe, client.getSnapshot);
  useEffect(() => {
    // The chat of the AI SDK knows its own list only: between its turns it shows what the server tells.
    if (!isBusy && told.link === "open" && told.status === "ready") setMessages([...told.messages]);
  }, [isBusy, told, setMessages]);
  return (
    <ChatView
      messages={chat.messages}
      isBusy={isBusy}
      error={chat.error}
      send={(text) => void chat.sendMessage({ text })}
      stop={() => void chat.stop()}
      clear={() => client.clear()}
    />
  );
}
