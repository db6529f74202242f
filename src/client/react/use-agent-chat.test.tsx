// @vitest-environment happy-dom
import type { UIMessage, UIMessageChunk } from "ai";
import { act, type ReactNode, StrictMode, Suspense, useLayoutEffect } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ServerFrame } from "../../shared/server-frames.ts";
import type { ClientFrame } from "../../shared/wire.ts";
import { CHAT_MESSAGE_TYPES as T } from "../../shared/wire-words.ts";
import type { AgentChat, UseAgentChatOptions } from "./agent-chat-options.ts";
import type { AgentConnection } from "./agent-socket.ts";
import { useAgentChat } from "./use-agent-chat.ts";

/** The connection of an agent, held by hand, as `useAgent` gives it. */
class HeldAgent implements AgentConnection {
  readonly agent = "assistant";
  readonly name: string;
  readonly listeners: [string, (event: never) => void][] = [];
  readonly sent: ClientFrame[] = [];
  httpUrl: string;
  readyState = 0;
  isClosed = false;
  connectionError: Error | null = null;

  constructor(name: string, query = "") {
    this.name = name;
    this.httpUrl = `https://example.com/agents/assistant/${name}${query}`;
  }

  getHttpUrl(): string {
    return this.httpUrl;
  }

  send(data: string): void {
    this.sent.push(JSON.parse(data) as ClientFrame);
  }

  close(): void {
    this.isClosed = true;
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.listeners.push([type, listener]);
  }

  removeEventListener(type: string, listener: (event: never) => void): void {
    const at = this.listeners.findIndex(([one, other]) => one === type && other === listener);
    if (at !== -1) this.listeners.splice(at, 1);
  }

  fire(type: "open" | "close" | "message", event: object = {}): void {
    if (type !== "message") this.readyState = type === "open" ? 1 : 3;
    for (const [one, listener] of this.listeners.slice()) if (one === type) listener(event as never);
  }

  receive(...frames: ServerFrame[]): void {
    for (const frame of frames) this.fire("message", { data: JSON.stringify(frame) });
  }

  /** Opens, has these messages, and has nothing to resume. */
  greet(messages: UIMessage[] = []): void {
    this.fire("open");
    this.receive({ type: T.CHAT_MESSAGES, messages, connect: true });
    this.idle();
  }

  idle(): void {
    const probe = this.sent.findLast(({ type }) => type === T.STREAM_RESUME_REQUEST) as { probeId: string };
    this.receive({ type: T.STREAM_RESUME_NONE, reason: "idle", probeId: probe.probeId });
  }

  requests() {
    return this.sent.flatMap((frame) =>
      frame.type === T.USE_CHAT_REQUEST
        ? [{ id: frame.id, body: JSON.parse(frame.init.body) as Record<string, unknown> }]
        : [],
    );
  }

  chunks(id: string, from: number, ...chunks: UIMessageChunk[]): void {
    chunks.forEach((chunk, at) =>
      this.receive({ type: T.USE_CHAT_RESPONSE, id, body: JSON.stringify(chunk), done: false, seq: from + at }),
    );
  }

  end(id: string, more: Partial<Extract<ServerFrame, { type: typeof T.USE_CHAT_RESPONSE }>> = {}): void {
    this.receive({ type: T.USE_CHAT_RESPONSE, id, body: "", done: true, outcome: "completed", ...more });
  }
}

const user = (id: string, text = "Hi"): UIMessage => ({ id, role: "user", parts: [{ type: "text", text }] });
const start: UIMessageChunk[] = [
  { type: "start", messageId: "a1" },
  { type: "text-start", id: "t" },
];
const say = (delta: string): UIMessageChunk => ({ type: "text-delta", id: "t", delta });
const reply = (id: string): UIMessage => ({ id, role: "assistant", parts: [{ type: "text", text: id }] });
const seen: AgentChat[] = [];
let unmount = () => {};

function Chat(options: UseAgentChatOptions) {
  const chat = useAgentChat(options);
  seen.push(chat);
  return (
    <p>{chat.messages.map(({ parts }) => parts.map((part) => ("text" in part ? part.text : "")).join("")).join("|")}</p>
  );
}

/** How often the fallback came and went, in the order of happening. */
const fallbacks: string[] = [];

function Waiting() {
  useLayoutEffect(() => {
    fallbacks.push("shown");
    return () => void fallbacks.push("gone");
  }, []);
  return <i>waiting</i>;
}

const suspended = (chat: ReactNode) => <Suspense fallback={<Waiting />}>{chat}</Suspense>;
const now = () => seen.at(-1) as AgentChat;
const shown = () => document.body.textContent;

/** Lets frames and promises of a test come to rest within React's act. */
const settled = (run: () => unknown) =>
  act(async () => {
    await run();
    await vi.advanceTimersByTimeAsync(200);
  });

async function mount(options: UseAgentChatOptions, wrap = (chat: ReactNode): ReactNode => chat) {
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const render = (next: UseAgentChatOptions) =>
    settled(() => root.render(<StrictMode>{wrap(<Chat {...next} />)}</StrictMode>));
  unmount = () => act(() => root.unmount());
  await render(options);
  // React renders and mounts when the act is over; what that begins comes to rest here.
  await settled(() => undefined);
  return render;
}

describe("useAgentChat", () => {
  const fetched: string[] = [];
  const realFetch = globalThis.fetch;

  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  vi.useFakeTimers();

  const answer = (messages: unknown) => {
    globalThis.fetch = async (input) => {
      fetched.push(String(input));
      const [text, headers] = [JSON.stringify(messages), new Headers()];
      // The one of the test's window reads its body later than the test looks.
      return { ok: true, status: 200, headers, text: async () => text, json: async () => messages } as Response;
    };
  };

  afterEach(() => {
    unmount();
    document.body.replaceChildren();
    globalThis.fetch = realFetch;
    fetched.length = 0;
    seen.length = 0;
  });

  it("F263: shows a turn from sending to its end", async () => {
    const agent = new HeldAgent("turn");
    const ends: unknown[] = [];
    const finished: unknown[] = [];
    await mount({
      agent,
      getInitialMessages: null,
      body: { mood: "good" },
      onTurnEnd: (event) => ends.push(event),
      onFinish: ({ message }) => finished.push(message.id),
    });
    await settled(() => agent.greet());
    expect(now()).toMatchObject({ status: "ready", isStreaming: false, error: undefined, connectionError: null });
    let isSent = false;
    await settled(
      () =>
        void now()
          .sendMessage({ text: "Hello" }, { body: { day: 1 } })
          .then(() => (isSent = true)),
    );
    const [request] = agent.requests();
    expect(request?.body).toMatchObject({ mood: "good", day: 1, trigger: "submit-message" });
    expect([now().status, shown(), isSent]).toEqual(["submitted", "Hello", false]);
    await settled(() => {
      agent.receive({ type: T.CHAT_TAIL, after: null, messages: request?.body["messages"] as UIMessage[] });
      agent.chunks(request?.id ?? "", 1, ...start, say("Good "));
    });
    expect([now().status, now().isStreaming, now().isServerStreaming]).toEqual(["streaming", true, false]);
    await settled(() => {
      agent.chunks(request?.id ?? "", 4, say("day."));
      agent.end(request?.id ?? "");
    });
    expect([now().status, now().isStreaming, shown(), isSent]).toEqual(["ready", false, "Hello|Good day.", true]);
    expect(ends).toEqual([{ requestId: request?.id, outcome: "completed" }]);
    expect(finished).toEqual(["a1"]);
  });

  it.each<[string, Parameters<AgentChat["sendMessage"]>[0], unknown]>([
    ["a text", { text: "Hi" }, [{ type: "text", text: "Hi" }]],
    [
      "a text with files",
      { text: "Hi", files: [{ type: "file", mediaType: "image/png", url: "https://example.com/a.png" }] },
      [
        { type: "file", mediaType: "image/png", url: "https://example.com/a.png" },
        { type: "text", text: "Hi" },
      ],
    ],
    ["parts", { parts: [{ type: "text", text: "Hi" }] }, [{ type: "text", text: "Hi" }]],
    ["a message", user("u7"), [{ type: "text", text: "Hi" }]],
  ])("sends %s", async (_, given, parts) => {
    const agent = new HeldAgent("send");
    await mount({ agent, getInitialMessages: null });
    await settled(() => agent.greet());
    await settled(() => void now().sendMessage(given));
    expect(agent.requests()[0]?.body["messages"]).toMatchObject([
      { role: "user", parts, ...("id" in given ? { id: given.id } : {}) },
    ]);
  });

  it("sends nothing for a message that says nothing", async () => {
    const agent = new HeldAgent("empty");
    await mount({ agent, getInitialMessages: null });
    await settled(() => agent.greet());
    await settled(() => now().sendMessage({ text: " " }));
    expect(agent.requests()).toEqual([]);
  });

  it("reads the body's fields when it sends, however long they take", async () => {
    const agent = new HeldAgent("body");
    let token = "old";
    await mount({ agent, getInitialMessages: null, body: async () => ({ token }) });
    await settled(() => agent.greet());
    token = "new";
    await settled(() => void now().sendMessage({ text: "Hi" }));
    expect(agent.requests()[0]?.body).toMatchObject({ token: "new" });
  });

  it("shows an answer that somebody else asked for as the server's", async () => {
    const agent = new HeldAgent("other");
    await mount({ agent, getInitialMessages: null });
    await settled(() => agent.greet([user("u1")]));
    await settled(() => agent.chunks("theirs", 1, ...start, say("Hello")));
    expect(now()).toMatchObject({ status: "ready", isStreaming: true, isServerStreaming: true });
    expect(shown()).toBe("Hi|Hello");
    await settled(() => void now().stop());
    expect(agent.sent.at(-1)).toEqual({ type: T.CHAT_REQUEST_CANCEL, id: "theirs" });
    await settled(() => agent.end("theirs", { outcome: "aborted" }));
    expect(now()).toMatchObject({ status: "ready", isStreaming: false, isServerStreaming: false });
  });

  it.each([
    [true, "streaming", true],
    [false, "ready", false],
  ])("takes an answer that runs when it comes: %s", async (resume, status, isStreaming) => {
    const agent = new HeldAgent("resume");
    await mount({ agent, getInitialMessages: null, resume });
    await settled(() => {
      agent.fire("open");
      agent.receive({ type: T.STREAM_RESUMING, id: "r1", lastSeq: 3 });
      agent.receive({ type: T.CHAT_MESSAGES, messages: [user("u1")], connect: true });
      const frames = [...start, say("Hel")].map((chunk, at) => ({ body: JSON.stringify(chunk), seq: at + 1 }));
      if (!resume) return;
      for (const frame of frames) {
        agent.receive({ type: T.USE_CHAT_RESPONSE, id: "r1", done: false, replay: true, ...frame });
      }
    });
    expect(now()).toMatchObject({ status, isStreaming, isServerStreaming: false });
    expect(agent.sent.filter(({ type }) => type === T.STREAM_RESUME_ACK)).toHaveLength(resume ? 1 : 0);
    await settled(() => agent.idle());
    await settled(() => now().resume());
    expect(agent.sent.filter(({ type }) => type === T.STREAM_RESUME_REQUEST)).toHaveLength(2);
  });

  it("shows that the server recovers a turn, and that an answer goes on", async () => {
    const agent = new HeldAgent("recover");
    const asked: UIMessage = { id: "a1", role: "assistant", parts: [{ type: "text", text: "One." }] };
    await mount({ agent, getInitialMessages: null });
    await settled(() => agent.greet([user("u1"), asked]));
    await settled(() => agent.receive({ type: T.CHAT_RECOVERING, recovering: true }));
    expect(now().isRecovering).toBe(true);
    await settled(() => {
      const body = JSON.stringify({ type: "start", messageId: "a1" });
      agent.receive({ type: T.USE_CHAT_RESPONSE, id: "r2", body, done: false, seq: 1, continuation: true });
    });
    expect(now()).toMatchObject({ isRecovering: false, isToolContinuation: true });
  });

  it("shows an error, the same object as long as it is the same, until it is cleared", async () => {
    const agent = new HeldAgent("error");
    const errors: unknown[] = [];
    await mount({ agent, getInitialMessages: null, onError: (error) => errors.push(error.code) });
    await settled(() => agent.greet());
    await settled(() => void now().sendMessage({ text: "Hi" }));
    const id = agent.requests()[0]?.id ?? "";
    await settled(() =>
      agent.end(id, { body: "No.", error: true, outcome: "error", code: "rate_limited", retryable: true }),
    );
    const { error } = now();
    expect(now().status).toBe("error");
    expect(error).toMatchObject({ message: "No.", code: "rate_limited", retryable: true });
    await settled(() => agent.receive({ type: T.CHAT_TAIL, after: null, messages: [user("u9")] }));
    expect(now().error).toBe(error);
    await settled(() => now().clearError());
    expect([now().status, now().error, errors]).toEqual(["ready", undefined, ["rate_limited"]]);
  });

  it("regenerates the last answer, or the named one", async () => {
    const agent = new HeldAgent("again");
    await mount({ agent, getInitialMessages: null });
    await settled(() => agent.greet([user("u1"), reply("a1"), user("u2"), reply("a2")]));
    await settled(() => void now().regenerate());
    await settled(() => void now().regenerate({ messageId: "a1" }));
    expect(agent.requests().map(({ body }) => [body["trigger"], body["messageId"]])).toEqual([
      ["regenerate-message", "u2"],
      ["regenerate-message", "a1"],
    ]);
  });

  it("shows messages that are set until the server tells, and clears for everybody", async () => {
    const agent = new HeldAgent("set");
    await mount({ agent, getInitialMessages: null });
    await settled(() => agent.greet([user("u1", "one")]));
    await settled(() => now().setMessages((messages) => [...messages, user("u2", "two")]));
    expect(shown()).toBe("one|two");
    await settled(() => agent.receive({ type: T.CHAT_MESSAGES, messages: [user("u1", "one")] }));
    expect(shown()).toBe("one");
    await settled(() => now().clearHistory());
    expect(agent.sent.at(-1)).toEqual({ type: T.CHAT_CLEAR });
    await settled(() => agent.receive({ type: T.CHAT_CLEAR }));
    expect(shown()).toBe("");
  });

  it("gives each data part once, transient ones too, whatever is replayed", async () => {
    const agent = new HeldAgent("data");
    const parts: unknown[] = [];
    await mount({ agent, getInitialMessages: null, onData: ({ type, data }) => parts.push([type, data]) });
    await settled(() => agent.greet());
    await settled(() => void now().sendMessage({ text: "Hi" }));
    const id = agent.requests()[0]?.id ?? "";
    const progress: UIMessageChunk = { type: "data-progress", data: 1, transient: true };
    await settled(() => {
      agent.chunks(id, 1, start[0] as UIMessageChunk, progress);
      agent.chunks(id, 2, progress);
    });
    expect(parts).toEqual([["data-progress", 1]]);
  });

  it("speaks the stock protocol too: whole lists replace the transcript", async () => {
    const agent = new HeldAgent("stock");
    await mount({ agent, getInitialMessages: null });
    await settled(() => agent.greet());
    await settled(() => void now().sendMessage({ text: "Hi" }));
    const id = agent.requests()[0]?.id ?? "";
    const own = (agent.requests()[0]?.body["messages"] as UIMessage[] | undefined)?.[0] ?? user("none");
    const reply: UIMessage = { id: "a1", role: "assistant", parts: [{ type: "text", text: "Yo.", state: "done" }] };
    await settled(() => {
      agent.receive({ type: T.CHAT_MESSAGES, messages: [own] });
      agent.chunks(id, 1, ...start, say("Yo."));
      agent.receive({ type: T.CHAT_MESSAGES, messages: [own, reply] });
      agent.end(id);
    });
    expect([shown(), now().status]).toEqual(["Hi|Yo.", "ready"]);
  });

  it("T79: listens once in StrictMode, and leaves the connection open when it goes", async () => {
    const agent = new HeldAgent("strict");
    await mount({ agent, getInitialMessages: null });
    const count = () => agent.listeners.map(([type]) => type).toSorted();
    expect(count()).toEqual(["close", "message", "open"]);
    unmount();
    expect([count(), agent.isClosed]).toEqual([[], false]);
    unmount = () => {};
  });

  it("reads what it missed when the connection was open before it", async () => {
    answer([user("u1", "missed")]);
    const agent = new HeldAgent("late");
    agent.readyState = 1;
    await mount({ agent, getInitialMessages: null });
    expect(agent.sent.map(({ type }) => type)).toContain(T.STREAM_RESUME_REQUEST);
    expect(fetched.at(-1)).toBe("https://example.com/agents/assistant/late/get-messages?limit=50");
    expect(shown()).toBe("missed");
  });

  it("gives the same object while nothing visible changes, and messages that did not change as they were", async () => {
    const agent = new HeldAgent("same");
    const options = { agent, getInitialMessages: null };
    const render = await mount(options);
    await settled(() => agent.greet([user("u1")]));
    const before = now();
    await render({ ...options });
    await settled(() => agent.receive({ type: T.STREAM_RESUME_NONE, reason: "idle", probeId: "somebody-else" }));
    expect(now()).toBe(before);
    await settled(() => agent.chunks("r1", 1, ...start, say("Hello")));
    expect(now()).not.toBe(before);
    expect(now().messages[0]).toBe(before.messages[0]);
    expect(now().sendMessage).toBe(before.sendMessage);
  });

  it("tells of a connection that is lost for good", async () => {
    const agent = new HeldAgent("refused");
    const render = await mount({ agent, getInitialMessages: null });
    await settled(() => agent.fire("close", { code: 4403 }));
    expect(now().connectionError?.message).toBe("The server refused the connection.");
    agent.connectionError = new Error("4403");
    await render({ agent, getInitialMessages: null, resume: true });
    expect(now().connectionError?.message).toBe("4403");
  });

  describe("to begin with", () => {
    it("F170: reads the messages at the agent's address and shows a fallback meanwhile, once", async () => {
      answer([user("u1", "stored")]);
      const agent = new HeldAgent("first", "?token=t1");
      const render = await mount({ agent }, suspended);
      expect(shown()).toBe("stored");
      // StrictMode mounts what it shows twice.
      const before = [...fallbacks];
      expect(before.at(-1)).toBe("gone");
      await render({ agent, headers: {} });
      expect(fallbacks).toEqual(before);
      expect(fetched).toEqual(["https://example.com/agents/assistant/first/get-messages?token=t1"]);
    });

    it("F170: asks a function of the caller's for them, with the agent, its name and the URL", async () => {
      const asked: unknown[] = [];
      const getInitialMessages = async (options: object) => {
        asked.push(options);
        return [user("u1", "own")];
      };
      await mount({ agent: new HeldAgent("custom"), getInitialMessages }, suspended);
      const url = "https://example.com/agents/assistant/custom/get-messages";
      expect([shown(), asked]).toEqual(["own", [{ agent: "assistant", name: "custom", url }]]);
    });

    it("F169: takes messages of a loader without a request and without suspending", async () => {
      answer([]);
      await mount({ agent: new HeldAgent("loader"), getInitialMessages: null, messages: [user("u1", "loaded")] });
      expect([shown(), fetched]).toEqual(["loaded", []]);
    });

    it("T155: shows what it has when the messages cannot be read", async () => {
      vi.spyOn(console, "warn").mockImplementation(() => undefined);
      const offline = new Error("offline");
      const getInitialMessages = () => Promise.reject(offline);
      await mount({ agent: new HeldAgent("offline"), getInitialMessages }, suspended);
      expect([shown(), now().status]).toEqual(["", "ready"]);
      const throwing = () => {
        throw offline;
      };
      await mount({ agent: new HeldAgent("throwing"), getInitialMessages: throwing }, suspended);
      expect([shown(), now().status]).toEqual(["", "ready"]);
    });

    it("T155: neither throws nor reads nor listens before the agent has an address", async () => {
      answer([user("u1", "stored")]);
      const agent = new HeldAgent("later");
      agent.httpUrl = "";
      const render = await mount({ agent }, suspended);
      expect([shown(), fetched, agent.listeners]).toEqual(["", [], []]);
      agent.httpUrl = "https://example.com/agents/assistant/later";
      await render({ agent });
      expect(shown()).toBe("stored");
    });

    it("T155: reads once, whatever token the address holds, and goes on over a new connection", async () => {
      answer([user("u1", "stored")]);
      const render = await mount({ agent: new HeldAgent("token", "?token=t1") }, suspended);
      const next = new HeldAgent("token", "?token=t2");
      await render({ agent: next });
      expect([shown(), fetched.length]).toEqual(["stored", 1]);
      await settled(() => void now().sendMessage({ text: "Hi" }));
      await settled(() => next.greet([user("u1", "stored")]));
      expect(next.requests()).toHaveLength(1);
    });

    it("T154: shows and sends nothing of one conversation in another, whatever comes late", async () => {
      const late = Promise.withResolvers<UIMessage[]>();
      const getInitialMessages = ({ name }: { name: string }) =>
        name === "one" ? late.promise : Promise.resolve([user("u2", "two")]);
      const [one, two] = [new HeldAgent("one", "?token=secret"), new HeldAgent("two")];
      const render = await mount({ agent: one, getInitialMessages }, suspended);
      expect(shown()).toBe("waiting");
      await render({ agent: two, getInitialMessages });
      expect(shown()).toBe("two");
      await settled(() => late.resolve([user("u1", "one")]));
      expect(shown()).toBe("two");
      await settled(() => one.receive({ type: T.CHAT_MESSAGES, messages: [user("u1", "one")] }));
      expect([shown(), one.sent]).toEqual(["two", []]);
    });
  });
});
