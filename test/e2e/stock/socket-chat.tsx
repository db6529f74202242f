/** `useAgentChat` as it is published, by each of the packages that bring it, over the socket of `useAgent`. */
import { useAgentChat as ofAiChat } from "@cloudflare/ai-chat/react";
import { useAgentChat as ofThink } from "@cloudflare/think/react";
import { useAgentChat as ofAgents } from "agents/chat/react";
import { useAgent } from "agents/react";
import { ChatView } from "./chat-view.tsx";

type UseAgentChat = typeof ofAgents;

function chatWith(useAgentChat: UseAgentChat) {
  return function SocketChat({ name }: { readonly name: string }) {
    // A lost socket comes back at once and not after seconds; nothing else differs from the defaults.
    const agent = useAgent({ agent: "assistant", name, minReconnectionDelay: 50 });
    const chat = useAgentChat({ agent });
    return (
      <ChatView
        messages={chat.messages}
        isBusy={chat.isStreaming || chat.status !== "ready"}
        error={chat.error}
        send={(text) => void chat.sendMessage({ text })}
        stop={() => void chat.stop()}
        clear={() => chat.clearHistory()}
      />
    );
  };
}

export const AgentsChat = chatWith(ofAgents);
export const AiChatChat = chatWith(ofAiChat);
export const ThinkChat = chatWith(ofThink);
