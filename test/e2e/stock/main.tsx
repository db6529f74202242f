/**
 * The chat clients that people have, as they are, on our server: the hook of
 * the Agents SDK over its socket (`?client=agent`), and `useChat` of the AI SDK
 * over HTTP (`?client=http`).
 */
import { useChat } from "@ai-sdk/react";
import { useAgentChat } from "agents/chat/react";
import { useAgent } from "agents/react";
import { DefaultChatTransport, type UIMessage } from "ai";
import { type FormEvent, Suspense, useState } from "react";
import { createRoot } from "react-dom/client";

const query = new URL(location.href).searchParams;
const name = query.get("name") ?? "stock";

interface ChatProps {
  readonly messages: readonly UIMessage[];
  readonly status: string;
  readonly error: Error | undefined;
  send(text: string): void;
  stop(): void;
  clear?: () => void;
}

function Chat({ messages, status, error, send, stop, clear }: ChatProps) {
  const [text, setText] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send(text);
    setText("");
  };
  return (
    <>
      <output>{status}</output>
      <ol>
        {messages.map((message) => (
          <li key={message.id}>
            {message.role}: {message.parts.map((part) => (part.type === "text" ? part.text : "")).join("")}
          </li>
        ))}
      </ol>
      <p role="alert">{error?.message}</p>
      <form onSubmit={submit}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
      </form>
      <button type="button" onClick={stop}>
        Stop
      </button>
      <button type="button" onClick={clear}>
        Clear
      </button>
    </>
  );
}

function AgentChat() {
  const agent = useAgent({ agent: "assistant", name });
  const chat = useAgentChat({ agent });
  return (
    <Chat
      messages={chat.messages}
      status={chat.isStreaming ? "streaming" : chat.status}
      error={chat.error}
      send={(text) => void chat.sendMessage({ text })}
      stop={() => void chat.stop()}
      clear={() => chat.clearHistory()}
    />
  );
}

function HttpChat() {
  const api = `/agents/assistant/${name}/chat`;
  const chat = useChat({ id: name, resume: true, transport: new DefaultChatTransport({ api }) });
  return (
    <Chat
      messages={chat.messages}
      status={chat.status}
      error={chat.error}
      send={(text) => void chat.sendMessage({ text })}
      stop={() => void chat.stop()}
    />
  );
}

createRoot(document.querySelector("#root") as HTMLElement).render(
  <Suspense fallback="loading">{query.get("client") === "http" ? <HttpChat /> : <AgentChat />}</Suspense>,
);
