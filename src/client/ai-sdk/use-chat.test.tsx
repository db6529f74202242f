// @vitest-environment happy-dom
import { useChat } from "@ai-sdk/react";
import { act, StrictMode, useEffect, useMemo } from "react";
import { createRoot } from "react-dom/client";
import { describe, expect, it } from "vitest";
import type { ChatSocket } from "../address.ts";
import { ChatClient } from "../chat-client.ts";
import { ConversationTransport } from "./conversation-transport.ts";

const open = new Set<ChatSocket>();

function countedSocket(): ChatSocket {
  const socket = { send: () => undefined, close: () => void open.delete(socket), addEventListener: () => undefined };
  open.add(socket);
  return socket;
}

/** As in docs/client.md. */
function Chat({ name }: { name: string }) {
  const { client, transport } = useMemo(() => {
    const client = new ChatClient({ agent: "assistant", name, socket: countedSocket });
    return { client, transport: new ConversationTransport(client) };
  }, [name]);
  useEffect(() => {
    client.connect();
    return () => client.close();
  }, [client]);
  const { messages } = useChat({ id: name, transport, resume: true });
  return <p>{messages.length}</p>;
}

describe("the chat of the AI SDK in a component", () => {
  it.each([true, false])("has one socket, whatever it is given, and none when it is gone; key: %s", async (hasKey) => {
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
    const root = createRoot(document.body.appendChild(document.createElement("div")));
    for (const name of ["a", "b", "c"]) {
      const chat = <Chat key={hasKey ? name : null} name={name} />;
      await act(async () => root.render(<StrictMode>{chat}</StrictMode>));
      expect(open.size).toBe(1);
    }
    await act(async () => root.unmount());
    expect(open.size).toBe(0);
  });
});
