// @vitest-environment happy-dom
import { act, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, describe, expect, it } from "vitest";
import { CHAT_MESSAGE_TYPES as T } from "../../shared/wire.ts";
import type { ChatSocket } from "../address.ts";
import { type Conversation, useConversation } from "./use-conversation.ts";

type Listener = (event: { code: number; data: unknown }) => void;
type Socket = ChatSocket & { name: string; isClosed: boolean; fire(type: string, data?: object): void };

const sockets: Socket[] = [];
const seen: Conversation[] = [];
let unmount = () => {};

function makeSocket({ name }: { name: string }): Socket {
  const listeners = new Map<string, Listener>();
  const socket: Socket = {
    name,
    isClosed: false,
    send: () => undefined,
    close: () => void (socket.isClosed = true),
    addEventListener: (type: string, listener: (event: never) => void) =>
      void listeners.set(type, listener as Listener),
    fire: (type, data) => listeners.get(type)?.({ code: 1006, data: JSON.stringify(data) }),
  };
  sockets.push(socket);
  return socket;
}

function Chat({ name }: { name: string }) {
  const chat = useConversation({ agent: "assistant", name, socket: makeSocket, schedule: (run) => run() });
  seen.push(chat);
  return <p>{chat.messages.map(({ id }) => id).join(" ")}</p>;
}

async function mount(name: string): Promise<(name: string) => Promise<void>> {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const render = (name: string) =>
    act(async () =>
      root.render(
        <StrictMode>
          <Chat name={name} />
        </StrictMode>,
      ),
    );
  unmount = () => act(() => root.unmount());
  await render(name);
  return render;
}

const openSockets = () => sockets.filter(({ isClosed }) => !isClosed);
const list = (...ids: string[]) => ({
  type: T.CHAT_MESSAGES,
  messages: ids.map((id) => ({ id, role: "user", parts: [] })),
  connect: true,
});

describe("useConversation", () => {
  afterEach(() => {
    unmount();
    document.body.replaceChildren();
    sockets.length = 0;
    seen.length = 0;
  });

  it("holds one socket in StrictMode and none after it is gone", async () => {
    await mount("one");
    expect(openSockets()).toHaveLength(1);
    unmount();
    expect(openSockets()).toHaveLength(0);
    await mount("one");
  });

  it("renders what arrives, with functions that never change", async () => {
    await mount("one");
    await act(async () => {
      openSockets()[0]?.fire("open");
      openSockets()[0]?.fire("message", list("u1", "u2"));
    });
    expect(document.body.textContent).toBe("u1 u2");
    expect(seen.at(-1)?.link).toBe("open");
    expect(new Set(seen.map(({ send }) => send)).size).toBeLessThanOrEqual(2);
  });

  it("changes the conversation with the name, and shows nothing of the one before", async () => {
    const render = await mount("one");
    const [first] = openSockets();
    await act(async () => {
      first?.fire("open");
      first?.fire("message", list("u1"));
    });
    await render("two");
    expect(document.body.textContent).toBe("");
    expect(openSockets().map(({ name }) => name)).toEqual(["two"]);
    await act(async () => first?.fire("message", list("late")));
    expect(document.body.textContent).toBe("");
  });
});
