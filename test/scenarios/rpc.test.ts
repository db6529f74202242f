import { runInDurableObject } from "cloudflare:test";
import { RpcTarget } from "cloudflare:workers";
import type { UIMessage, UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import type { StreamCallback } from "../../src/index.ts";
import { applyChunk, emptyAssistant, startFold } from "../../src/shared/apply-chunk.ts";
import { type Stage, stage, TestConversation } from "../harness/agents.ts";
import {
  ChatSocket,
  childRoute,
  upgrade,
  conversation,
  crash,
  http,
  storedMessages,
  textOf,
  userText,
} from "../harness/chat-socket.ts";
import { gate, say, ScriptedModel } from "../harness/scripted-model.ts";

function setUp(name: string, ...deltas: (string | Promise<unknown> | Error)[]): Stage {
  const setup = stage(name);
  setup.configure = (self) => (self.joinDeltasMs = 0);
  setup.model = new ScriptedModel(() => say(...deltas));
  return setup;
}

/** Takes a turn over RPC and writes down what it is told. */
class Listener extends RpcTarget implements StreamCallback {
  readonly heard: string[] = [];
  readonly chunks: UIMessageChunk[] = [];
  #onEvent: (json: string) => void;

  constructor(onEvent: (json: string) => void = () => undefined) {
    super();
    this.#onEvent = onEvent;
  }

  onStart({ requestId }: { requestId: string }): void {
    this.heard.push(requestId === "" ? "start without id" : "start");
  }

  onEvent(json: string): void {
    this.heard.push("event");
    this.chunks.push(JSON.parse(json) as UIMessageChunk);
    this.#onEvent(json);
  }

  onDone(): void {
    this.heard.push("done");
  }

  onError(message: string): void {
    this.heard.push(`error ${message}`);
  }

  /** What was heard, runs of events as one. */
  get order(): string {
    return this.heard.filter((one, at) => one !== "event" || this.heard[at - 1] !== "event").join(" ");
  }

  get message(): UIMessage {
    return this.chunks.reduce(applyChunk, startFold(emptyAssistant(""))).message;
  }
}

/** Runs `body` inside the object, where calls cross no border. */
const inside = <T>(name: string, body: (self: TestConversation) => Promise<T>): Promise<T> =>
  runInDurableObject(conversation(name), body);

const withoutIds = (messages: readonly UIMessage[]) => messages.map((message) => ({ ...message, id: "" }));

const child = (self: TestConversation, name: string) => self.subAgent(TestConversation, name);

describe("a turn over RPC", () => {
  it("tells start, the chunks in order and done, and stores what it told", async () => {
    setUp("call-1", "one ", "two ", "three");
    const listener = new Listener();
    await conversation("call-1").chat("hi", listener);
    expect(listener.order).toBe("start event done");
    const stored = await storedMessages("call-1");
    expect(stored.map((message) => [message.role, textOf(message)])).toEqual([
      ["user", "hi"],
      ["assistant", "one two three"],
    ]);
    expect(listener.message).toEqual(stored[1]);
  });

  it("takes a UI message with its id and parts, and refuses what is no user message", async () => {
    setUp("call-2", "ok");
    await conversation("call-2").chat(userText("mine", "hello"), new Listener());
    expect((await storedMessages("call-2"))[0]).toEqual(userText("mine", "hello"));
    const forged = { id: "x", role: "assistant", parts: [{ type: "text", text: "I said so" }] } as UIMessage;
    const refused = inside("call-2", (self) => self.chat(forged, new Listener()));
    await expect(refused).rejects.toMatchObject({ code: "bad_request" });
    expect(await storedMessages("call-2")).toHaveLength(2);
  });

  it("F2: stores the same transcript as the same turn over a socket, apart from ids", async () => {
    for (const name of ["call-3a", "call-3b"]) setUp(name, "same ", "words");
    await conversation("call-3a").chat("hi", new Listener());
    const socket = await ChatSocket.open("call-3b");
    socket.ask("r1", "hi");
    await socket.ended("r1");
    expect(withoutIds(await storedMessages("call-3a"))).toEqual(withoutIds(await storedMessages("call-3b")));
  });

  it("shows the turn to sockets like any other", async () => {
    setUp("call-4", "for all");
    const socket = await ChatSocket.open("call-4");
    const listener = new Listener();
    await conversation("call-4").chat("hi", listener);
    const end = await socket.until((frame) => frame.type === "cf_agent_use_chat_response" && frame.done);
    expect(socket.folded("id" in end ? (end.id ?? "") : "")).toEqual(listener.message);
  });

  it("T31: tells a failed turn as one error behind what was said, in safe words", async () => {
    setUp("call-5", "par", new Error("key sk-123 refused"));
    const listener = new Listener();
    await conversation("call-5").chat("hi", listener);
    expect(listener.heard.filter((one) => one !== "event")).toEqual(["start", expect.stringMatching(/^error .{10}/)]);
    expect(listener.order).not.toContain("sk-123");
    expect(textOf(listener.message)).toBe("par");
  });

  it("T29: calls no model when the signal has fired before, and is silent", async () => {
    const { model } = setUp("call-6", "never");
    const heard = await inside("call-6", async (self) => {
      const listener = new Listener();
      await self.chat("hi", listener, { signal: AbortSignal.abort() });
      return listener.heard;
    });
    expect(heard).toEqual([]);
    expect((model as ScriptedModel).calls).toHaveLength(0);
    expect(await storedMessages("call-6")).toEqual([]);
  });

  it("T152: cancels the turn when the signal fires, keeps what was said, and is silent afterwards", async () => {
    const { model } = setUp("call-7", "some", new Promise(() => undefined));
    const heard = await inside("call-7", async (self) => {
      const abort = new AbortController();
      const listener = new Listener((json) => json.includes("some") && abort.abort());
      await self.chat("hi", listener, { signal: abort.signal });
      return listener.order;
    });
    expect(heard).toBe("start event");
    expect((model as ScriptedModel).aborted).toEqual([0]);
    expect((await storedMessages("call-7")).map(textOf)).toEqual(["hi", "some"]);
  });

  it("leaves no listener behind on a signal that outlives many turns", async () => {
    setUp("call-8", "ok");
    const counts = await inside("call-8", async (self) => {
      const { signal } = new AbortController();
      const counts = { added: 0, removed: 0 };
      const add = signal.addEventListener.bind(signal);
      const remove = signal.removeEventListener.bind(signal);
      signal.addEventListener = (...args: Parameters<typeof add>) => (counts.added++, add(...args));
      signal.removeEventListener = (...args: Parameters<typeof remove>) => (counts.removed++, remove(...args));
      for (let n = 0; n < 3; n++) await self.chat(`${n}`, new Listener(), { signal });
      return counts;
    });
    expect(counts).toEqual({ added: 3, removed: 3 });
  });

  it("is not hurt by a callback that throws or is half there", async () => {
    setUp("call-9", "one ", "two");
    await conversation("call-9").chat(
      "hi",
      new Listener(() => {
        throw new Error("listener broke");
      }),
    );
    const quiet = await inside("call-9", async (self) => {
      const heard: string[] = [];
      await self.chat("again", { onEvent: () => void heard.push("event"), onDone: () => void heard.push("done") });
      stage("call-9").model = new ScriptedModel(() => say(new Error("no")));
      await self.chat("fails", { onEvent: () => undefined, onDone: () => void heard.push("done") });
      return heard;
    });
    expect(quiet.at(-1)).toBe("done");
    expect(quiet.filter((one) => one === "done")).toHaveLength(1);
    expect((await storedMessages("call-9")).map(textOf)).toEqual(["hi", "one two", "again", "one two", "fails"]);
  });

  it("waits its turn behind others, and tells a cancelled one", async () => {
    const held = gate();
    setUp("call-10", "first", held.passed);
    const socket = await ChatSocket.open("call-10");
    socket.ask("r1", "one");
    await socket.chunk("r1");
    const listener = new Listener();
    const turn = conversation("call-10").chat("two", listener);
    await socket.until((frame) => frame.type === "cf_agent_chat_messages" && frame.messages.length === 2);
    socket.clear();
    await turn;
    held.open();
    expect(listener.order).toMatch(/^start error /);
  });
});

describe("configuration", () => {
  it("F81: is null at first, survives eviction, and hands out copies", async () => {
    expect(await conversation("conf-1").getConfig()).toBeNull();
    await conversation("conf-1").configure({ tier: "gold", nested: { n: 1 } });
    await crash("conf-1");
    const changed = await inside("conf-1", async (self) => {
      const config = self.getConfig<{ nested: { n: number } }>();
      if (config !== null) config.nested.n = 2;
      return self.getConfig();
    });
    expect(changed).toEqual({ tier: "gold", nested: { n: 1 } });
    for (const value of [0, "", false, null, []]) {
      await conversation("conf-1").configure(value);
      expect(await conversation("conf-1").getConfig()).toEqual(value);
    }
  });

  it("F83: never reaches clients", async () => {
    setUp("conf-2", "ok");
    const stock = await ChatSocket.open("conf-2");
    const ours = await ChatSocket.open("conf-2", { capabilities: "delta,cursor" });
    await conversation("conf-2").configure({ secret: "xyzzy-config" });
    stock.ask("r1", "hi");
    await Promise.all([stock.ended("r1"), ours.ended("r1")]);
    for (const socket of [stock, ours]) {
      await socket.settled();
      expect(JSON.stringify([socket.frames, socket.foreign])).not.toContain("xyzzy-config");
    }
  });

  it.each(["think_config (key, value)", "assistant_config (session_id, key, value)"])(
    "F84: takes over what an older table %s has, and leaves it in place",
    async (table) => {
      const name = `conf-3-${table.slice(0, 5)}`;
      const columns = table.includes("session_id") ? "'s', '_think_config'" : "'_think_config'";
      await runInDurableObject(conversation(name), (_, state) => {
        state.storage.sql.exec(`CREATE TABLE ${table}`);
        state.storage.sql.exec(`INSERT INTO ${table.split(" ")[0]} VALUES (${columns}, '{"tier":"old"}')`);
      });
      await crash(name);
      expect(await conversation(name).getConfig()).toEqual({ tier: "old" });
      await conversation(name).configure({ tier: "new" });
      await crash(name);
      expect(await conversation(name).getConfig()).toEqual({ tier: "new" });
      const rows = await runInDurableObject(conversation(name), (_, state) =>
        state.storage.sql.exec<{ value: string }>(`SELECT value FROM ${table.split(" ")[0]}`).toArray(),
      );
      expect(rows).toEqual([{ value: '{"tier":"old"}' }]);
    },
  );

  it("T121: may be the very first call on an object, and so may any other", async () => {
    await conversation("conf-4").configure({ first: true });
    expect(await conversation("conf-4").getConfig()).toEqual({ first: true });
    expect(await conversation("conf-5").getConfig()).toBeNull();
    expect(await conversation("conf-6").getMessages()).toEqual([]);
    expect(await inside("conf-7", async (self) => [self.messages, self.isStreaming])).toEqual([[], false]);
  });
});

describe("children", () => {
  it("F82, F85: have transcripts and configurations of their own", async () => {
    setUp("sub-a", "from a");
    setUp("sub-b", "from b");
    const [a, b, own] = await inside("root-1", async (self) => {
      const [first, second] = [await child(self, "sub-a"), await child(self, "sub-b")];
      await first.configure({ tier: 1 });
      await first.chat("to a", new Listener());
      await second.chat("to b", new Listener());
      return [
        { texts: (await first.getMessages()).map(textOf), config: await first.getConfig() },
        { texts: (await second.getMessages()).map(textOf), config: await second.getConfig() },
        await self.getMessages(),
      ] as const;
    });
    expect(a).toEqual({ texts: ["to a", "from a"], config: { tier: 1 } });
    expect(b).toEqual({ texts: ["to b", "from b"], config: null });
    expect(own).toEqual([]);
  });

  it("keep their messages when the parent is lost", async () => {
    setUp("sub-c", "kept");
    await inside("root-2", async (self) => (await child(self, "sub-c")).chat("hi", new Listener()));
    await crash("root-2");
    const texts = await inside("root-2", async (self) =>
      (await (await child(self, "sub-c")).getMessages()).map(textOf),
    );
    expect(texts).toEqual(["hi", "kept"]);
  });

  it("stream to sockets on their own route and resume there, and not to those of the parent", async () => {
    const held = gate();
    setUp("sub-d", "one ", held.passed, "two");
    setUp("root-3", "parent's own");
    const parent = await ChatSocket.open("root-3");
    const first = await ChatSocket.open(childRoute("root-3", "sub-d"));
    first.ask("r1", "hi");
    await first.chunk("r1", 3);
    const late = await ChatSocket.open(childRoute("root-3", "sub-d"), { capabilities: "delta,cursor" });
    await late.until((frame) => frame.type === "cf_agent_stream_resuming");
    late.send({ type: "cf_agent_stream_resume_ack", id: "r1" });
    await late.until((frame) => frame.type === "cf_agent_use_chat_response" && frame.replayComplete === true);
    held.open();
    await Promise.all([first.ended("r1"), late.ended("r1")]);
    expect(textOf(first.folded("r1"))).toBe("one two");
    expect(late.folded("r1")).toEqual(first.folded("r1"));
    parent.ask("p1", "hello");
    await parent.ended("p1");
    await parent.settled();
    expect(parent.responses("r1")).toEqual([]);
    expect(JSON.stringify(parent.frames)).not.toContain("one two");
    await first.settled();
    expect(first.responses("p1")).toEqual([]);
    expect(JSON.stringify(first.frames)).not.toContain("parent's own");
  });

  it("answer history over HTTP under their route", async () => {
    setUp("sub-e", "by http");
    await inside("root-4", async (self) => (await child(self, "sub-e")).chat("hi", new Listener()));
    const response = await http(childRoute("root-4", "sub-e"), "/get-messages");
    expect(((await response.json()) as UIMessage[]).map(textOf)).toEqual(["hi", "by http"]);
  });

  it("set no alarm of their own, hold the root awake while they work, and let go of it", async () => {
    const held = gate();
    setUp("sub-f", "a", held.passed);
    const during = await runInDurableObject(conversation("root-5"), async (self, { storage }) => {
      const kid = await child(self, "sub-f");
      let alarm: number | null = null;
      const listener = new Listener(async (json) => {
        if (!json.includes('"a"')) return;
        alarm = await storage.getAlarm();
        held.open();
      });
      await kid.chat("hi", listener);
      return alarm;
    });
    expect(during).not.toBeNull();
    expect(stage("sub-f").calls["append"]).toBeGreaterThan(0);
  });

  it("drop what is older than retention when they run their next turn", async () => {
    setUp("sub-g", "words");
    stage("sub-g").configure = (self) => (self.streamRetentionMs = 0);
    await inside("root-6", async (self) => {
      const kid = await child(self, "sub-g");
      await kid.chat("one", new Listener());
      await kid.chat("two", new Listener());
    });
    expect(stage("sub-g").calls["sweep"]).toBe(2);
  });

  it("refuse nobody by themselves: authorize asks the parent for `child` first", async () => {
    stage("root-7").authorize = (action) =>
      action === "child" ? { allow: false, status: 403, reason: "not yours" } : { allow: true };
    const socket = await ChatSocket.open(childRoute("root-7", "sub-h"));
    expect(await socket.closed()).toBe(4403);
    expect(socket.frames).toEqual([]);
    const response = await http(childRoute("root-7", "sub-h"), "/get-messages");
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { code: "forbidden", message: "not yours" } });
  });

  it("are closed to pages of other origins that come with cookies", async () => {
    const headers = { origin: "https://evil.example", cookie: "s=1" };
    expect((await upgrade(childRoute("root-8", "sub-i"), { headers })).status).toBe(403);
  });
});
