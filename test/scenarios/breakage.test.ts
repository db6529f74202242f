/** What bad luck and bad will bring to a conversation: it ends every request and goes on. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import type { UIMessage, UIMessageChunk } from "ai";
import { afterEach, describe, expect, it } from "vitest";
import { Conversation } from "../../src/index.ts";
import type { Authorization, StreamBufferContract } from "../../src/index.ts";
import { stage, TestConversation } from "../harness/agents.ts";
import { ChatSocket, conversation, crash, http, storedMessages, textOf, userText } from "../harness/chat-socket.ts";
import { manualClock } from "../harness/manual-clock.ts";
import { gate, say, ScriptedModel } from "../harness/scripted-model.ts";

const ours = { capabilities: "delta,cursor" };
const never = <T>(): Promise<T> => Promise.withResolvers<T>().promise;

/** An answer made of these chunks, whatever they are. */
function answerOf(...chunks: readonly unknown[]): { toUIMessageStream(): AsyncIterable<UIMessageChunk> } {
  return {
    toUIMessageStream: async function* () {
      yield* chunks as UIMessageChunk[];
    },
  };
}

const part = [
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: "part" },
] as const;

/** A model that holds its first answer until the gate opens. */
function holdFirst(name: string): ReturnType<typeof gate> & { model: ScriptedModel } {
  const held = gate();
  const model = new ScriptedModel((_, n) => (n === 0 ? say("a", held.passed) : say(`a${n}`)));
  stage(name).model = model;
  return { ...held, model };
}

/** The buffer with one verb replaced. */
function withVerb(verb: keyof StreamBufferContract, call: (real: StreamBufferContract, request: never) => unknown) {
  return (real: StreamBufferContract): StreamBufferContract =>
    new Proxy(real, {
      get: (target, name: keyof StreamBufferContract) => (request: never) =>
        name === verb ? call(target, request) : (target[name] as (request: never) => unknown)(request),
    });
}

async function nextTurnWorks(socket: ChatSocket): Promise<void> {
  socket.ask("next", "next");
  expect(await socket.ended("next")).toMatchObject({ outcome: "completed" });
}

/** Waits until the server has handled what `socket` sent before, without a change to what it hears. */
async function handled(socket: ChatSocket): Promise<void> {
  socket.send("handled?");
  await socket.foreignCount(1, (text) => text === "echo handled?");
}

describe("an id", () => {
  it.each([["__proto__"], ["constructor"], ["0x10"], ["a'; DROP TABLE messages; --"], ["x".repeat(256)], ["a\0b"]])(
    "may be any text: %j",
    async (id) => {
      const name = `break-id-${id.length}`;
      const socket = await ChatSocket.open(name, ours);
      socket.ask(id, [userText(id, "hi")]);
      expect(await socket.ended(id)).toMatchObject({ outcome: "completed", messageIds: [id] });
      expect((await storedMessages(name)).map((message) => message.role)).toEqual(["user", "assistant"]);
      await nextTurnWorks(socket);
    },
  );

  it("with half a surrogate pair is refused, as two such ids could become one", async () => {
    const socket = await ChatSocket.open("break-surrogates", ours);
    socket.ask("r1", [userText("\ud800", "mine"), userText("\ud801", "mine too")]);
    expect(await socket.ended("r1")).toMatchObject({ error: true, code: "bad_request" });
    await nextTurnWorks(socket);
  });

  it("of the answer that is being written cannot be taken by a message", async () => {
    const held = holdFirst("break-taken");
    const socket = await ChatSocket.open("break-taken", ours);
    socket.ask("r1", "hi");
    const { messageId } = JSON.parse((await socket.chunk("r1")).body) as { messageId: string };
    socket.ask("r2", [userText(messageId, "mine")]);
    expect(await socket.ended("r2")).toMatchObject({ outcome: "skipped" });
    held.open();
    await socket.ended("r1");
    await nextTurnWorks(socket);
  });

  it("of the last answer, posted as a user's, asks no model to answer that", async () => {
    const model = new ScriptedModel(() => say("a"));
    stage("break-answer-id").model = model;
    const socket = await ChatSocket.open("break-answer-id", ours);
    socket.ask("r1", "hi");
    await socket.ended("r1");
    const answer = (await storedMessages("break-answer-id"))[1] as UIMessage;
    socket.ask("r2", [userText(answer.id, "mine")]);
    expect(await socket.ended("r2")).toMatchObject({ outcome: "skipped" });
    expect(model.calls).toHaveLength(1);
  });

  it("of a cancelled request stays known, however large its message was", async () => {
    const held = holdFirst("break-cancelled");
    const socket = await ChatSocket.open("break-cancelled", ours);
    socket.ask("r1", "hi");
    await socket.chunk("r1");
    socket.ask("r2", "x".repeat(2_000_000));
    socket.cancel("r2");
    await socket.ended("r2");
    held.open();
    await socket.ended("r1");
    await nextTurnWorks(socket);
    socket.send({ type: "cf_agent_stream_resume_request", probeId: "p", requests: ["r2"] });
    const answer = await socket.until((frame) => "probeId" in frame && frame.probeId === "p");
    expect(answer).not.toHaveProperty("unknown");
  });

  it("used again after a clear is followed to the end of the new turn, while the old one still unwinds", async () => {
    const append = gate();
    const setup = stage("break-reuse");
    setup.buffer = withVerb("append", async (real, request) => {
      await append.passed;
      return real.append(request);
    });
    setup.model = new ScriptedModel((_, n) => say(`a${n}`));
    const socket = await ChatSocket.open("break-reuse");
    socket.ask("r1", "hi");
    await socket.chunk("r1", 4);
    socket.clear();
    await socket.ended("r1");
    const response = await http("break-reuse", "/chat", {
      method: "POST",
      headers: { "x-chat-request-id": "r1" },
      body: JSON.stringify({ messages: [userText("u", "again")] }),
    });
    append.open();
    const events = await response.text();
    expect(events).toContain("a1");
    expect(events).not.toContain('"abort"');
  });
});

describe("regenerating", () => {
  it("answers the posted message when the named one is unknown, and none when neither is known", async () => {
    stage("break-again").model = new ScriptedModel((_, n) => say(`a${n}`));
    const socket = await ChatSocket.open("break-again", ours);
    for (const id of ["r1", "r2"]) {
      socket.ask(id, id);
      await socket.ended(id);
    }
    const again = { trigger: "regenerate-message", messageId: "never-seen" };
    socket.ask("nothing", [], again);
    expect(await socket.ended("nothing")).toMatchObject({ error: true, code: "not_found" });
    socket.ask("again", [userText("r1-user", "r1")], again);
    await socket.ended("again");
    expect((await storedMessages("break-again")).map(textOf)).toEqual(["r1", "a2"]);
  });

  it("fails when the message is gone by the time it is its turn", async () => {
    const held = gate();
    const model = new ScriptedModel((_, n) => (n === 1 ? say("a", held.passed) : say("b")));
    const setup = stage("break-trimmed");
    setup.model = model;
    setup.configure = (self) => {
      self.maxPersistedMessages = 2;
    };
    const socket = await ChatSocket.open("break-trimmed", ours);
    socket.ask("r1", "r1");
    await socket.ended("r1");
    socket.ask("r2", "r2");
    await socket.chunk("r2");
    socket.ask("again", [userText("r1-user", "r1")], { trigger: "regenerate-message" });
    await handled(socket);
    held.open();
    expect(await socket.ended("again")).toMatchObject({ outcome: "error", code: "not_found" });
    expect(model.calls).toHaveLength(2);
  });
});

describe("an answer", () => {
  const cyclic: Record<string, unknown> = { type: "data-x" };
  cyclic["data"] = cyclic;

  it.each([
    ["a number too large for JSON", { type: "data-x", data: 1n }],
    ["a circle", cyclic],
    ["something that hides from JSON", { type: "data-x", toJSON: () => undefined }],
    ["null", null],
    ["no type", {}],
  ])("keeps what it was before %s came", async (what, chunk) => {
    const name = `break-chunk-${what.replaceAll(" ", "-")}`;
    const setup = stage(name);
    setup.onChatMessage = () => answerOf(...part, chunk);
    const socket = await ChatSocket.open(name);
    socket.ask("r1", "hi");
    await socket.ended("r1");
    expect((await storedMessages(name)).map(textOf)).toEqual(["hi", "part"]);
    delete setup.onChatMessage;
    await nextTurnWorks(socket);
  });

  it.each([
    ["undefined", undefined],
    ["a bare object", Object.create(null)],
    ["an unreadable object", Object.defineProperty({}, "message", { get: () => JSON.parse("{") })],
    ["a symbol", Symbol("x")],
  ])("keeps what it was before its source threw %s", async (what, error) => {
    const name = `break-throw-${what.replaceAll(" ", "-")}`;
    stage(name).onChatMessage = () => ({
      toUIMessageStream: async function* () {
        yield* part;
        throw error;
      },
    });
    const socket = await ChatSocket.open(name);
    socket.ask("r1", "hi");
    expect(await socket.ended("r1")).toMatchObject({ outcome: "error" });
    expect((await storedMessages(name)).map(textOf)).toEqual(["hi", "part"]);
  });

  it("is complete although its source cannot be closed", async () => {
    const list: UIMessageChunk[] = [...part, { type: "text-end", id: "t" }];
    const iterator = {
      next: async () => ({ done: list.length === 0, value: list.shift() as UIMessageChunk }),
      return: () => {
        throw new Error("no");
      },
    };
    stage("break-return").onChatMessage = () => ({
      toUIMessageStream: () => ({ [Symbol.asyncIterator]: () => iterator }),
    });
    const socket = await ChatSocket.open("break-return");
    socket.ask("r1", "hi");
    expect(await socket.ended("r1")).toMatchObject({ outcome: "completed" });
  });

  it.each([
    ["a promise", Promise.resolve({})],
    ["a message without parts", { id: "x" }],
  ])("is not stored when onSanitizeMessage makes %s of it", async (what, made) => {
    const name = `break-sanitize-${what.replaceAll(" ", "-")}`;
    const setup = stage(name);
    setup.onSanitizeMessage = (message) => (message.role === "assistant" ? (made as never) : message);
    const socket = await ChatSocket.open(name, ours);
    socket.ask("r1", "hi");
    expect(await socket.ended("r1")).toMatchObject({ outcome: "error" });
    delete setup.onSanitizeMessage;
    await nextTurnWorks(socket);
    expect((await storedMessages(name)).map(textOf)).toEqual(["hi", "next", "ok"]);
  });

  it("leaves no empty row when onSanitizeMessage takes everything out of it", async () => {
    stage("break-emptied").onSanitizeMessage = (message) =>
      message.role === "assistant" ? { ...message, parts: [] } : message;
    const socket = await ChatSocket.open("break-emptied");
    socket.ask("r1", "hi");
    await socket.ended("r1");
    expect((await storedMessages("break-emptied")).map(textOf)).toEqual(["hi"]);
  });
});

describe("what never answers", () => {
  afterEach(() => {
    TestConversation.clock = Conversation.clock;
  });

  it("holds the line for a bounded time: onChatError", async () => {
    const clock = (TestConversation.clock = manualClock(Date.now()));
    const setup = stage("break-hook");
    const asked = { times: 0 };
    setup.model = new ScriptedModel((_, n) => (n === 0 ? say("a", new Error("boom")) : say("b")));
    setup.onChatError = () => {
      asked.times++;
      return never();
    };
    const socket = await ChatSocket.open("break-hook");
    socket.ask("r1", "hi");
    while (asked.times === 0) await scheduler.wait(1);
    await runInDurableObject(conversation("break-hook"), () => clock.advance(10_000));
    expect(await socket.ended("r1")).toMatchObject({ outcome: "error", code: "internal" });
    await nextTurnWorks(socket);
  });

  it("settles a turn that was cut, though no client comes back", async () => {
    const held = holdFirst("break-alone");
    const socket = await ChatSocket.open("break-alone");
    socket.ask("r1", "hi");
    await socket.chunk("r1");
    await crash("break-alone");
    expect(await runDurableObjectAlarm(conversation("break-alone"))).toBe(true);
    const response = await http("break-alone", "/chat/x/stream");
    await response.text();
    expect((await http("break-alone", "/chat/x/stream")).status).toBe(204);
    held.open();
  });
});

describe("a socket", () => {
  it("that comes back under its id before the old one is closed is caught up all the same", async () => {
    const held = gate();
    stage("break-same-id").model = new ScriptedModel(() => say("one ", held.passed, "two"));
    const same = { capabilities: "delta,cursor&_pk=same" };
    const old = await ChatSocket.open("break-same-id", same);
    old.ask("r1", "hi");
    await old.chunk("r1", 3);
    const fresh = await ChatSocket.open("break-same-id", same);
    await fresh.until((frame) => frame.type === "cf_agent_stream_resuming");
    old.close();
    await expect(old.until(() => false)).rejects.toThrow("closed");
    fresh.send({ type: "cf_agent_stream_resume_ack", id: "r1" });
    await fresh.until((frame) => "replayComplete" in frame && frame.replayComplete === true);
    held.open();
    await fresh.ended("r1");
    expect(textOf(fresh.folded("r1"))).toBe("one two");
  });

  it("folds a running answer once when its chunks cannot be read", async () => {
    const held = gate();
    const setup = stage("break-unread");
    setup.configure = (self) => {
      self.flushLimits = { ms: 100_000, bytes: 1 << 20, chunks: 3 };
      self.joinDeltasMs = 0;
    };
    setup.model = new ScriptedModel(() => say("one ", "two ", "three ", "four ", "five ", held.passed, "six"));
    const stored = { times: 0 };
    setup.buffer = (real) =>
      withVerb("read", () => Promise.reject(new Error("unreadable")))(
        withVerb("append", async (inner, request) => {
          const result = await inner.append(request);
          stored.times++;
          return result;
        })(real),
      );
    const first = await ChatSocket.open("break-unread", ours);
    first.ask("r1", "hi");
    await first.chunk("r1", 8);
    while (stored.times === 0) await scheduler.wait(1);
    const late = await ChatSocket.open("break-unread", ours);
    await late.until((frame) => frame.type === "cf_agent_stream_resuming");
    late.send({ type: "cf_agent_stream_resume_ack", id: "r1" });
    await late.until((frame) => "replayComplete" in frame && frame.replayComplete === true);
    held.open();
    await late.ended("r1");
    expect(textOf(late.folded("r1"))).toBe("one two three four five six");
    const seqs = late.responses("r1").flatMap((frame) => frame.seq ?? []);
    expect(seqs).toEqual([...new Set(seqs)]);
  });

  it("has its frames acted on in the order they came, however long a decision takes", async () => {
    const held = gate();
    let sends = 0;
    stage("break-order").authorize = async (action) => {
      if (action === "send" && sends++ === 0) await held.passed;
      return { allow: true };
    };
    const socket = await ChatSocket.open("break-order");
    socket.ask("r1", "one");
    socket.ask("r2", "two");
    socket.cancel("r2");
    await handled(socket);
    held.open();
    expect(await socket.ended("r1")).toMatchObject({ outcome: "completed" });
    expect(await socket.ended("r2")).toMatchObject({ outcome: "aborted" });
    expect((await storedMessages("break-order")).map(textOf)).toEqual(["one", "ok"]);
  });
});

/** What a call of another actor gives: a promise by its look, every other property of which is there as well. */
function remote(verdict: Authorization): Promise<Authorization> {
  const then = (resolve: (verdict: Authorization) => void): void => resolve(verdict);
  return new Proxy({}, { get: (_, key) => (key === "then" ? then : {}) }) as Promise<Authorization>;
}

describe("authorize", () => {
  it("is waited for when its answer comes from another actor", async () => {
    stage("break-remote").authorize = (action) =>
      remote(action === "send" ? { allow: false, status: 403 } : { allow: true });
    const socket = await ChatSocket.open("break-remote");
    socket.ask("r1", "hi");
    expect(await socket.ended("r1")).toMatchObject({ error: true, code: "forbidden" });
  });

  it.each([[true], ["yes"], [{ allow: "false" }], [{ allow: 1 }], [{ allow: false }]])(
    "refuses by an answer that is none: %j",
    async (verdict) => {
      const name = `break-verdict-${JSON.stringify(verdict).replaceAll(/\W/g, "")}`;
      stage(name).authorize = (action) => (action === "send" ? (verdict as never) : { allow: true });
      const socket = await ChatSocket.open(name);
      socket.ask("r1", "hi");
      expect(await socket.ended("r1")).toMatchObject({ error: true, code: "internal" });
      expect(await storedMessages(name)).toEqual([]);
    },
  );
});

describe("a posted file", () => {
  it.each(["javascript:alert(1)", "not a url", "data:", "blob:http://x/1", "file:///etc/passwd"])(
    "at %j is left out, and no later turn stumbles over it",
    async (url) => {
      const name = `break-file-${url.length}`;
      const socket = await ChatSocket.open(name);
      const file = { type: "file", mediaType: "image/png", url };
      socket.ask("r1", [{ id: "u1", role: "user", parts: [{ type: "text", text: "look" }, file] }]);
      expect(await socket.ended("r1")).toMatchObject({ outcome: "completed" });
      expect((await storedMessages(name))[0]?.parts).toEqual([{ type: "text", text: "look" }]);
      await nextTurnWorks(socket);
    },
  );
});

describe("a prompt", () => {
  it.each([
    ["data", { type: "data-x", data: 1 }],
    ["blank text", { type: "text", text: "" }],
  ])("has no empty message where the user sent nothing but %s", async (what, only) => {
    const name = `break-empty-${what.replace(" ", "-")}`;
    const model = new ScriptedModel(() => say("ok"));
    stage(name).model = model;
    const socket = await ChatSocket.open(name);
    socket.ask("r1", [{ id: "u1", role: "user", parts: [only] }]);
    await socket.ended("r1");
    expect(model.calls[0]?.prompt.at(-1)?.content).toEqual([{ type: "text", text: "(a message without text)" }]);
  });
});

describe("what a server must not do for a client", () => {
  it("T168: leaves a posted address to the model, and fetches nothing itself", async () => {
    const model = new ScriptedModel(() => say("seen"));
    stage("no-fetch").model = model;
    const socket = await ChatSocket.open("no-fetch");
    const url = "http://127.0.0.1:9/x.png";
    socket.ask("r1", [{ id: "u1", role: "user", parts: [{ type: "file", mediaType: "image/png", url }] }]);
    expect(await socket.ended("r1")).toMatchObject({ outcome: "completed" });
    expect(JSON.stringify(model.calls[0]?.prompt)).toContain(url);
  });

  it("clears a conversation with a damaged turn record", async () => {
    const socket = await ChatSocket.open("clear-damaged");
    socket.ask("r1", "one");
    await socket.ended("r1");
    await runInDurableObject(conversation("clear-damaged"), (_, state) => {
      state.storage.sql.exec("UPDATE turns SET body = '{broken'");
    });
    socket.clear();
    await socket.until((frame) => frame.type === "cf_agent_chat_clear");
    expect(await storedMessages("clear-damaged")).toEqual([]);
  });

  it("drops the chunks of ended turns too when the conversation is cleared", async () => {
    const dropped: string[] = [];
    stage("clear-all").buffer = (real) =>
      new Proxy(real, {
        get: (target, verb: keyof StreamBufferContract) => async (request: never) => {
          if (verb === "drop") dropped.push(...(request as string[]));
          return (target[verb] as (request: never) => unknown)(request);
        },
      });
    const socket = await ChatSocket.open("clear-all");
    for (const id of ["r1", "r2"]) {
      socket.ask(id, id);
      await socket.ended(id);
    }
    socket.clear();
    await socket.until((frame) => frame.type === "cf_agent_chat_clear");
    expect(dropped).toHaveLength(2);
  });
});
