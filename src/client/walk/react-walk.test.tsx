// @vitest-environment happy-dom
/**
 * Random walks with the hook of React in `StrictMode`: it is mounted and
 * unmounted, rendered with new options, and moved to another conversation and
 * back in the middle of answers and of reads.
 */
import { act, StrictMode, useLayoutEffect } from "react";
import { createRoot, type Root } from "react-dom/client";
import { describe, expect, it } from "vitest";
import { type Conversation, useConversation } from "../react/use-conversation.ts";
import { ModelServer } from "./model-server.ts";
import { type Random, randomOf } from "./random.ts";
import { oneStep, settle } from "./schedule.ts";
import { repeatable, seedsOf, server } from "./schedules.ts";
import { type Face, Tab } from "./tab.ts";

const PART = 7;
const weather = { leaves: 6, batches: 30, dies: 1, reads: 10 };

/** What the component shows, and of which conversation. */
interface Shown {
  readonly tab: Tab;
  readonly chat: Conversation;
}

function Chat({ tab, onShow }: { readonly tab: Tab; readonly onShow: (shown: Shown) => void }) {
  const chat = useConversation({ agent: "assistant", name: tab.server.options.name, ...tab.options() });
  useLayoutEffect(() => onShow({ tab, chat }));
  return chat.messages.map((message) => <p key={message.id}>{message.id}</p>);
}

/** A page with one conversation on it at a time. */
class Page implements Face {
  readonly #container = document.createElement("div");
  readonly #tabs: readonly Tab[];
  #root: Root | null = null;
  #at = 0;
  #shown: Shown | null = null;

  constructor(tabs: readonly Tab[]) {
    this.#tabs = tabs;
    this.comeBack();
  }

  /** What was rendered last, and for which conversation. */
  get shown(): Shown | null {
    return this.#shown;
  }

  get view(): Conversation {
    if (this.#shown === null) throw new Error("nothing is shown");
    return this.#shown.chat;
  }

  get text(): string {
    return [...this.#container.children].map(({ textContent }) => textContent).join(" ");
  }

  send(text: string): void {
    this.#shown?.chat.send(text);
  }

  stop(): void {
    this.#shown?.chat.stop();
  }

  retry(): void {
    this.#shown?.chat.retry();
  }

  clear(): void {
    this.#shown?.chat.clear();
  }

  async loadOlder(): Promise<void> {
    await this.#shown?.chat.loadOlder();
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
    this.#root?.render(
      <StrictMode>
        <Chat tab={tab} onShow={(shown) => this.#show(shown)} />
      </StrictMode>,
    );
  }

  #show(shown: Shown): void {
    if (this.#shown !== null && this.#shown.tab !== shown.tab) this.#shown.tab.forget();
    this.#shown = shown;
    const { messages } = shown.chat;
    const { name } = shown.tab.server.options;
    const strangers = messages.filter(({ id }) => !id.startsWith(name));
    expect(strangers, "nothing of another conversation is shown").toEqual([]);
    shown.tab.witness.look(shown.chat);
  }
}

/** A frame is painted; who sees an answer grow is likelier to go. */
function look(random: Random, page: Page): void {
  if (random.chance(30)) page.shown?.tab.paint();
  if (page.shown?.chat.status !== "streaming" || random.chance(95)) return;
  page.leave(random.below(3));
  page.comeBack();
}

async function walk(seed: number): Promise<void> {
  const random = randomOf(seed);
  const tabs = ["walk", "other"].map((name) => new Tab(name, new ModelServer({ ...server, name }), true));
  const page = await act(() => new Page(tabs));
  const actors = tabs.map((tab) => ({ tab, face: page }));
  // More happens to the conversation that is looked at.
  const crowd = () => actors.flatMap((actor) => Array<typeof actor>(actor.tab === page.shown?.tab ? 4 : 1).fill(actor));
  await repeatable(seed, async () => {
    for (let left = 200 + random.below(300); left > 0; left--) {
      await act(() => oneStep({ random, weather, actors: crowd() }));
      await act(() => look(random, page));
    }
    await act(() => page.comeBack());
    await act(() => settle({ random, weather, actors }));
    page.shown?.tab.checkAtRest(page.view);
    expect(page.text, "the page shows it").toBe(page.view.messages.map(({ id }) => id).join(" "));
    await act(() => page.leave(0));
    for (const { links } of tabs) expect(links.filter((link) => !link.isClosed)).toEqual([]);
  });
}

describe("a component on a bad network, in StrictMode", () => {
  it("shows at rest what the server has, nothing of another conversation, and ends each request once", async () => {
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
    for (const seed of seedsOf(PART, process.env)) await walk(seed);
  });
});
