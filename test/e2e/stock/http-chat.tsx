/** `useChat` of the AI SDK as it is published, over HTTP. What it has no word for is one request each. */
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, type UIMessage } from "ai";
import { useCallback, useEffect, useState } from "react";
import { ChatView } from "./chat-view.tsx";

/** The stored messages; waits until the server can be reached. */
async function load(path: string): Promise<UIMessage[]> {
  for (;;) {
    const response = await fetch(`${path}/get-messages`).catch(() => undefined);
    if (response?.ok) return (await response.json()) as UIMessage[];
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export function HttpChat({ name }: { readonly name: string }) {
  const path = `/agents/assistant/${name}`;
  const [transport] = useState(() => new DefaultChatTransport({ api: `${path}/chat` }));
  const chat = useChat({ id: name, transport, onFinish: ({ isDisconnect }) => void (isDisconnect && catchUp()) });
  const { resumeStream, setMessages } = chat;

  const catchUp = useCallback(async () => {
    // What the server has, if that is all that stands here.
    const show = (stored: UIMessage[]) =>
      setMessages((shown) => (shown.every(({ id }) => stored.some((one) => one.id === id)) ? stored : shown));
    show(await load(path));
    // What runs, from its beginning.
    await resumeStream();
    // What ended in between.
    show(await load(path));
  }, [path, resumeStream, setMessages]);
  useEffect(() => void catchUp(), [catchUp]);

  const stop = async () => {
    await fetch(`${path}/chat/${name}/stream`, { method: "DELETE" });
    await chat.stop();
  };
  const clear = async () => {
    await fetch(`${path}/chat`, { method: "DELETE" });
    await chat.stop();
    setMessages([]);
  };
  return (
    <ChatView
      messages={chat.messages}
      isBusy={chat.status === "submitted" || chat.status === "streaming"}
      error={chat.error}
      send={(text) => void chat.sendMessage({ text })}
      stop={() => void stop()}
      clear={() => void clear()}
    />
  );
}
