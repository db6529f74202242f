// @vitest-environment happy-dom
/** A burst of deltas in one task costs a mounted hook a few renders, and work that grows as the burst does. */
import type { UIMessage } from "ai";
import { act, type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, describe, expect, it, vi } from "vitest";
import { countWork, type Work } from "../../../test/harness/counted-work.ts";
import { CHAT_MESSAGE_TYPES as T } from "../../shared/wire-words.ts";
import type { SocketListeners } from "../address.ts";
import type { AgentConnection } from "./agent-socket.ts";
import { useAgentChat } from "./use-agent-chat.ts";
import { useConversation } from "./use-conversation.ts";

const renders: string[] = [];
const socket = new (class {
  listeners: Partial<SocketListeners> = {};
  readonly agent = "assistant";
  readonly name = "burst";
  readonly url = "wss://example.com/agents/assistant/burst";
  readyState = 0;
  send(): void {}
  close(): void {}
  addEventListener(type: string, listener: (event: never) => void): void {
    Object.assign(this.listeners, { [type]: listener });
  }
  removeEventListener(): void {}
  receive(frame: object): void {
    this.listeners.message?.({ data: JSON.stringify(frame) });
  }
})();

const textOf = (messages: readonly UIMessage[]) =>
  messages.map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")).join("")).join("");

function WithAgent() {
  renders.push("with agent");
  return <p>{textOf(useAgentChat({ agent: socket as AgentConnection, getInitialMessages: null }).messages)}</p>;
}

function WithSocket() {
  renders.push("with socket");
  return <p>{textOf(useConversation({ agent: "assistant", name: "burst", socket: () => socket }).messages)}</p>;
}

let unmount = () => {};
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
vi.useFakeTimers();

/** What so many deltas in one task cost, with a mounted hook. */
async function burst(Chat: () => ReactNode, deltas: number): Promise<Work> {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  unmount = () => act(() => root.unmount());
  await act(async () => root.render(<StrictMode>{<Chat />}</StrictMode>));
  const chunk = (seq: number, body: object) =>
    socket.receive({ type: T.USE_CHAT_RESPONSE, id: "r1", body: JSON.stringify(body), done: false, seq });
  await act(async () => {
    socket.readyState = 1;
    socket.listeners.open?.();
    socket.receive({ type: T.CHAT_MESSAGES, messages: [], connect: true });
    chunk(1, { type: "start", messageId: "a1" });
    chunk(2, { type: "text-start", id: "t" });
  });
  renders.length = 0;
  const work = await countWork(async () => {
    await act(async () => {
      for (let at = 0; at < deltas; at++) chunk(at + 3, { type: "text-delta", id: "t", delta: "word " });
      await vi.advanceTimersByTimeAsync(200);
    });
  });
  expect(document.body.textContent).toBe("word ".repeat(deltas));
  unmount();
  unmount = () => {};
  socket.readyState = 0;
  return work;
}

const total = ({ blocks, elements, characters }: Work) => blocks + elements + characters;

describe.each([
  ["useAgentChat", WithAgent],
  ["useConversation", WithSocket],
])("%s", (_, Chat) => {
  afterEach(() => {
    unmount();
    document.body.replaceChildren();
  });

  it("renders a burst of 20,000 deltas in less than 60 renders, at a cost that is in line with its length", async () => {
    const half = await burst(Chat, 10_000);
    const whole = await burst(Chat, 20_000);
    expect(renders.length).toBeGreaterThan(0);
    expect(renders.length).toBeLessThan(60);
    expect(half.blocks).toBeGreaterThan(10_000);
    expect(total(whole) / total(half)).toBeLessThan(2.3);
  });
});
