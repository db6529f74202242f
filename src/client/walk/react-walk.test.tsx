// @vitest-environment happy-dom
/**
 * Random walks with the hooks of React in `StrictMode`: they are mounted and
 * unmounted, rendered with new options, and moved to another conversation and
 * back in the middle of answers and of reads.
 */
import { act, type ComponentType, StrictMode, useLayoutEffect } from "react";
import { createRoot, type Root } from "react-dom/client";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { useAgentChat } from "../react/use-agent-chat.ts";
import { useConversation } from "../react/use-conversation.ts";
import { ModelServer } from "./model-server.ts";
import { type Random, randomOf } from "./random.ts";
import { oneStep, settle } from "./schedule.ts";
import { repeatable, seedsOf, server } from "./schedules.ts";
import { type Face, Tab } from "./tab.ts";
import { TabConnection } from "./tab-connection.ts";
import type { Seen } from "./witness.ts";

const PART = 7;
const weather = { leaves: 6, batches: 30, dies: 1, reads: 10 };
/** `useAgentChat` takes no clock: timers and frames pass by hand. */
const timers = ["setTimeout", "clearTimeout", "requestAnimationFrame", "cancelAnimationFrame"] as const;

/** What a component shows, of which conversation, and what can be done there. */
interface Shown {
  readonly tab: Tab;
  readonly view: Seen;
  readonly acts: Pick<Face, "send" | "stop" | "retry" | "clear" | "loadOlder">;
}

interface ChatProps {
  readonly tab: Tab;
  readonly onShow: (shown: Shown) => void;
}

function ConversationChat({ tab, onShow }: ChatProps) {
  const chat = useConversation({ agent: "assistant", name: tab.server.options.name, ...tab.options() });
  useLayoutEffect(() => onShow({ tab, view: chat, acts: chat }));
  return chat.messages.map((message) => <p key={message.id}>{message.id}</p>);
}

function AgentChat({ tab, onShow }: ChatProps) {
  const { newId, onTurnEnd } = tab.options();
  const agent = TabConnection.of(tab);
  const chat = useAgentChat({ agent, getInitialMessages: null, onTurnEnd: (end) => onTurnEnd(agent.ending(end)) });
  const { messages, hasMore, isStreaming, loadOlder } = chat;
  const status = isStreaming ? "streaming" : chat.status;
  const acts = {
    send: (text: string) => void chat.sendMessage({ id: newId(), role: "user", parts: [{ type: "text", text }] }),
    stop: () => void chat.stop(),
    retry: () => void (chat.status === "ready" && chat.regenerate()),
    clear: () => chat.clearHistory(),
    loadOlder,
  };
  const view: Seen = { messages, hasMore, status, link: "open", queued: 0, waitingIds: [], streamingId: null };
  useLayoutEffect(() => onShow({ tab, view, acts }));
  return messages.map((message) => <p key={message.id}>{message.id}</p>);
}

/** A page with one conversation on it at a time. */
class Page implements Face {
  readonly #Chat: ComponentType<ChatProps>;
  readonly #container = document.createElement("div");
  readonly #tabs: readonly Tab[];
  #root: Root | null = null;
  #at = 0;
  #shown: Shown | null = null;

  constructor(Chat: ComponentType<ChatProps>, tabs: readonly Tab[]) {
    this.#Chat = Chat;
    this.#tabs = tabs;
    this.comeBack();
  }

  /** What was rendered last, and for which conversation. */
  get shown(): Shown | null {
    return this.#shown;
  }

  get view(): Seen {
    if (this.#shown === null) throw new Error("nothing is shown");
    return this.#shown.view;
  }

  get text(): string {
    return [...this.#container.children].map(({ textContent }) => textContent).join(" ");
  }

  send(text: string): void {
    this.#shown?.acts.send(text);
  }

  stop(): void {
    this.#shown?.acts.stop();
  }

  retry(): void {
    this.#shown?.acts.retry();
  }

  clear(): void {
    this.#shown?.acts.clear();
  }

  async loadOlder(): Promise<void> {
    await this.#shown?.acts.loadOlder();
  }

  leave(way: number): void {
    if (way === 0) this.#unmount();
    else if (way === 1) this.#moveOn();
    else this.#render();
  }

  comeBack(): void {
    this.#root ??= createRoot(this.#container);
    this.#render();
  }

  #unmount(): void {
    this.#root?.unmount();
    this.#root = null;
    this.#shown?.tab.forget();
    this.#shown = null;
  }

  #moveOn(): void {
    this.#at++;
    this.#render();
  }

  #render(): void {
    const tab = this.#tabs[this.#at % this.#tabs.length];
    if (tab === undefined) return;
    const Chat = this.#Chat;
    this.#root?.render(
      <StrictMode>
        <Chat tab={tab} onShow={(shown) => this.#show(shown)} />
      </StrictMode>,
    );
  }

  #show(shown: Shown): void {
    if (this.#shown !== null && this.#shown.tab !== shown.tab) this.#shown.tab.forget();
    this.#shown = shown;
    const { name } = shown.tab.server.options;
    const strangers = shown.view.messages.filter(({ id }) => !id.startsWith(name));
    expect(
      strangers.map(({ id }) => id),
      "nothing of another conversation is shown",
    ).toEqual([]);
    shown.tab.witness.look(shown.view);
  }
}

/** A frame is painted; who sees an answer grow is likelier to go. */
function look(random: Random, page: Page): void {
  if (random.chance(30)) {
    page.shown?.tab.paint();
    vi.advanceTimersByTime(random.chance(3) ? 5_000 : 20);
  }
  if (page.shown?.view.status !== "streaming" || random.chance(95)) return;
  page.leave(random.below(3));
  page.comeBack();
}

async function walk(seed: number, Chat: ComponentType<ChatProps>): Promise<void> {
  const random = randomOf(seed);
  const tabs = ["walk", "other"].map((name) => new Tab(name, new ModelServer({ ...server, name }), Chat !== AgentChat));
  const page = await act(() => new Page(Chat, tabs));
  const actors = tabs.map((tab) => ({ tab, face: page }));
  // More happens to the conversation that is looked at.
  const crowd = () => actors.flatMap((actor) => Array<typeof actor>(actor.tab === page.shown?.tab ? 4 : 1).fill(actor));
  await repeatable(seed, async () => {
    for (let left = 200 + random.below(300); left > 0; left--) {
      await act(() => oneStep({ random, weather, actors: crowd() }));
      await act(() => look(random, page));
    }
    await act(() => page.comeBack());
    for (const ms of [5_000, 60_000, 5_000, 100]) {
      await act(() => settle({ random, weather, actors }));
      await act(() => void vi.advanceTimersByTime(ms));
    }
    page.shown?.tab.checkAtRest(page.view);
    expect(page.text, "the page shows it").toBe(page.view.messages.map(({ id }) => id).join(" "));
    await act(() => page.leave(0));
    for (const tab of tabs) expect(TabConnection.isLet(tab), "nobody listens any more").toBe(true);
  });
}

describe("a component on a bad network, in StrictMode", () => {
  const claim = "shows at rest what the server has, nothing of another conversation, and ends each request once";

  beforeAll(() => {
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
    vi.useFakeTimers({ toFake: [...timers] });
    vi.stubGlobal("fetch", TabConnection.fetch);
    return () => {
      vi.useRealTimers();
      vi.unstubAllGlobals();
    };
  });

  it(`${claim}: useConversation`, async () => {
    for (const seed of seedsOf(PART, process.env)) if (seed % 16 === PART) await walk(seed, ConversationChat);
  });

  it(`${claim}: useAgentChat`, async () => {
    for (const seed of seedsOf(PART, process.env)) if (seed % 16 !== PART) await walk(seed, AgentChat);
  });
});
