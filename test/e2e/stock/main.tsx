/** The chat clients that people have, as they are, on our server: `?client=<which>&name=<conversation>`. */
import { type ComponentType, StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { HttpChat } from "./http-chat.tsx";
import { DeltaChat, ListChat, TransportChat } from "./own-chat.tsx";
import { AgentsChat, AiChatChat, ThinkChat } from "./socket-chat.tsx";

const clients: Readonly<Record<string, ComponentType<{ readonly name: string }>>> = {
  agents: AgentsChat,
  "ai-chat": AiChatChat,
  think: ThinkChat,
  "ai-sdk": HttpChat,
  "own-delta": DeltaChat,
  "own-list": ListChat,
  "own-transport": TransportChat,
};

const query = new URL(location.href).searchParams;
const Client = clients[query.get("client") ?? ""];
if (Client === undefined) throw new Error(`There is no such client; there are: ${Object.keys(clients).join(", ")}.`);

createRoot(document.querySelector("#root") as HTMLElement).render(
  <StrictMode>
    <Suspense fallback="loading">
      <Client name={query.get("name") ?? "stock"} />
    </Suspense>
  </StrictMode>,
);
