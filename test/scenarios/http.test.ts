import { runInDurableObject } from "cloudflare:test";
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { applyChunk, emptyAssistant, startFold } from "../../src/shared/apply-chunk.ts";
import { type Stage, stage } from "../harness/agents.ts";
import { ChatSocket, conversation, http, storedMessages, textOf, upgrade, userText } from "../harness/chat-socket.ts";
import { gate, say, ScriptedModel } from "../harness/scripted-model.ts";

function setUp(name: string, ...deltas: (string | Promise<unknown> | Error)[]): Stage {
  const setup = stage(name);
  setup.configure = (self) => (self.joinDeltasMs = 0);
  setup.model = new ScriptedModel(() => say(...deltas));
  return setup;
}

interface Event {
  readonly id: number | null;
  readonly data: string;
}

/** Reads server-sent events by hand, as slowly as a test likes. */
class Events {
  readonly response: Response;
  readonly all: Event[] = [];
  readonly #reader: ReadableStreamDefaultReader<string>;
  #rest = "";

  constructor(response: Response) {
    this.response = response;
    const text = (response.body as ReadableStream<Uint8Array>).pipeThrough(
      new TextDecoderStream() as TransformStream<Uint8Array, string>,
    );
    this.#reader = text.getReader();
  }

  async next(): Promise<Event | null> {
    for (let end = this.#rest.indexOf("\n\n"); end === -1; end = this.#rest.indexOf("\n\n")) {
      const { done, value } = await this.#reader.read();
      if (done) return null;
      this.#rest += value;
    }
    const end = this.#rest.indexOf("\n\n");
    const lines = this.#rest.slice(0, end).split("\n");
    this.#rest = this.#rest.slice(end + 2);
    const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    const id = field("id");
    const event = { id: id === undefined ? null : Number(id), data: field("data") ?? "" };
    this.all.push(event);
    return event;
  }

  /** Reads until this text has come. */
  async until(text: string): Promise<void> {
    for (let event = await this.next(); event !== null; event = await this.next())
      if (event.data.includes(text)) return;
    throw new Error(`the events ended before ${text}`);
  }

  async toEnd(): Promise<this> {
    while ((await this.next()) !== null);
    return this;
  }

  leave(): Promise<void> {
    return this.#reader.cancel();
  }

  get chunks(): UIMessageChunk[] {
    return this.all.flatMap(({ data }) => (data === "[DONE]" ? [] : [JSON.parse(data) as UIMessageChunk]));
  }

  get message(): UIMessage {
    return this.chunks.reduce(applyChunk, startFold(emptyAssistant(""))).message;
  }
}

const post = (name: string, messages: unknown, headers: Record<string, string> = {}, extra: object = {}) =>
  http(name, "/chat", { method: "POST", headers, body: JSON.stringify({ messages, ...extra }) });

const ask = async (name: string, id: string, headers: Record<string, string> = {}) =>
  new Events(await post(name, [userText(id, "hi")], headers));

const resume = async (name: string, headers: Record<string, string> = {}) =>
  http(name, "/chat/any/stream", { headers });

describe("a turn over HTTP", () => {
  it("streams numbered events from start to [DONE], which fold to what a socket sees and storage has", async () => {
    setUp("posted-1", "Hello", ", ", "world");
    const socket = await ChatSocket.open("posted-1");
    const events = await ask("posted-1", "u1", { "x-chat-request-id": "r1" });
    expect(Object.fromEntries(events.response.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "x-vercel-ai-ui-message-stream": "v1",
      "x-chat-request-id": "r1",
    });
    await events.toEnd();
    await socket.ended("r1");
    const stored = await storedMessages("posted-1");
    expect(events.all.at(-1)).toEqual({ id: null, data: "[DONE]" });
    expect(events.all.slice(0, -1).map((event) => event.id)).toEqual(events.chunks.map((_, at) => at + 1));
    expect(events.chunks[0]).toMatchObject({ type: "start", messageId: stored[1]?.id });
    expect(events.chunks).toEqual(socket.chunks("r1"));
    expect(events.message).toEqual(stored[1]);
    expect(socket.folded("r1")).toEqual(stored[1]);
  });

  it("ends a failed turn with an error chunk, behind what was said before", async () => {
    setUp("posted-2", "par", "tial", new Error("key sk-123 refused"));
    const events = await (await ask("posted-2", "u1")).toEnd();
    expect(events.chunks.at(-1)).toMatchObject({ type: "error" });
    expect(JSON.stringify(events.all)).not.toContain("sk-123");
    expect(events.all.at(-1)?.data).toBe("[DONE]");
    expect(textOf(events.message)).toBe("partial");
  });

  it("says abort when the turn is cancelled, keeping what was said", async () => {
    setUp("posted-3", "some", new Promise(() => undefined));
    const events = await ask("posted-3", "u1");
    await events.until("some");
    expect((await http("posted-3", "/chat/any/stream", { method: "DELETE" })).status).toBe(204);
    await events.toEnd();
    expect(events.all.slice(-2).map((event) => event.data)).toEqual(['{"type":"abort"}', "[DONE]"]);
    expect((await storedMessages("posted-3")).map(textOf)).toEqual(["hi", "some"]);
    expect((await http("posted-3", "/chat/any/stream", { method: "DELETE" })).status).toBe(204);
  });

  it("ends with nothing but [DONE] when there is no result", async () => {
    stage("posted-4").onChatMessage = () => undefined;
    const events = await (await ask("posted-4", "u1")).toEnd();
    expect(events.all).toEqual([{ id: null, data: "[DONE]" }]);
  });

  it("gives a repeated request id the same stream, running or ended, and runs one turn", async () => {
    const held = gate();
    const { model } = setUp("posted-5", "a", held.passed, "b");
    const first = await ask("posted-5", "u1", { "x-chat-request-id": "r1" });
    await first.until('"a"');
    const second = await ask("posted-5", "u1", { "x-chat-request-id": "r1" });
    await second.until('"a"');
    held.open();
    await Promise.all([first.toEnd(), second.toEnd()]);
    const third = await (await ask("posted-5", "u1", { "x-chat-request-id": "r1" })).toEnd();
    expect(second.message).toEqual(first.message);
    expect(third.message).toEqual(first.message);
    expect(third.all.at(-1)?.data).toBe("[DONE]");
    expect((model as ScriptedModel).calls).toHaveLength(1);
  });

  it("answers a retry under another id without running again once the message is answered", async () => {
    const { model } = setUp("posted-6", "once");
    await (await ask("posted-6", "u1")).toEnd();
    const again = await ask("posted-6", "u1");
    expect(again.response.status).toBe(200);
    await again.toEnd();
    expect(again.all).toEqual([{ id: null, data: "[DONE]" }]);
    expect((model as ScriptedModel).calls).toHaveLength(1);
    expect(await storedMessages("posted-6")).toHaveLength(2);
  });

  it.each<[string, number, string, unknown]>([
    ["text that is not JSON", 400, "bad_request", "not json"],
    ["null", 400, "bad_request", "null"],
    ["no list", 400, "bad_request", "{}"],
    ["an empty list", 400, "empty_messages", '{"messages":[]}'],
    ["a user message without parts", 400, "bad_request", '{"messages":[{"id":"u","role":"user","parts":[]}]}'],
    ["a regenerate of nothing", 404, "not_found", '{"messages":[],"trigger":"regenerate-message"}'],
  ])("refuses %s with %i %s", async (_, status, code, body) => {
    const response = await http("posted-7", "/chat", { method: "POST", body: body as string });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code, retryable: false } });
    expect(await storedMessages("posted-7")).toEqual([]);
  });

  it("stops reading a body of unknown length at the limit", async () => {
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled++;
        if (pulled > 100) controller.close();
        else controller.enqueue(new TextEncoder().encode("x".repeat(1_000_000)));
      },
    });
    const init = { method: "POST", body, duplex: "half" } as RequestInit;
    const response = await http("posted-8", "/chat", init);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: "too_large" } });
  });

  it("leaves other paths to the user's own handler, with any method", async () => {
    for (const [path, method] of [
      ["/other", "GET"],
      ["/other", "OPTIONS"],
      ["/chat/x/y/stream", "GET"],
      ["/chat/x/y/stream", "DELETE"],
    ] as const) {
      expect(await (await http("posted-9", path, { method })).text(), `${method} ${path}`).toBe("yours");
    }
  });
});

describe("resuming over HTTP", () => {
  it("answers 204 when nothing runs", async () => {
    expect((await resume("posted-20")).status).toBe(204);
    setUp("posted-20", "x");
    await (await ask("posted-20", "u1")).toEnd();
    expect((await resume("posted-20")).status).toBe(204);
  });

  it("gives the running stream from its start, or behind the last event id, from storage and memory alike", async () => {
    const held = gate();
    setUp("posted-21", ...Array.from({ length: 30 }, (_, i) => `w${i} `), held.passed, "end");
    stage("posted-21").configure = (self) => {
      self.joinDeltasMs = 0;
      self.flushLimits = { ms: 60_000, bytes: 1_000_000, chunks: 8 };
    };
    const first = await ask("posted-21", "u1");
    await first.until("w29 ");
    const readers = await Promise.all(
      ["", "0", "1", "7", "8", "9", "20", "junk", "-3"].map(async (lastId) => {
        const response = await resume("posted-21", lastId === "" ? {} : { "last-event-id": lastId });
        return { after: Math.max(0, Number.parseInt(lastId, 10) || 0), events: new Events(response) };
      }),
    );
    held.open();
    await first.toEnd();
    const whole = await storedMessages("posted-21");
    for (const { after, events } of readers) {
      await events.toEnd();
      const rest = [...first.chunks.slice(0, after), ...events.chunks];
      expect(rest.reduce(applyChunk, startFold(emptyAssistant(""))).message, `after ${after}`).toEqual(whole[1]);
      expect(events.all.at(-1)?.data).toBe("[DONE]");
    }
  });

  it("waits for a turn in line and follows it from its first chunk", async () => {
    const held = gate();
    const setup = setUp("posted-22", held.passed, "first");
    const first = await ask("posted-22", "u1", { "x-chat-request-id": "r1" });
    await first.until("start");
    const second = await ask("posted-22", "u2", { "x-chat-request-id": "r2" });
    const again = await ask("posted-22", "u2", { "x-chat-request-id": "r2" });
    setup.model = new ScriptedModel(() => say("second"));
    held.open();
    await Promise.all([first.toEnd(), second.toEnd(), again.toEnd()]);
    expect(textOf(first.message)).toBe("first");
    expect(textOf(second.message)).toBe("second");
    expect(again.chunks).toEqual(second.chunks);
  });

  it("tells a reader in line that its turn was cancelled or cleared", async () => {
    setUp("posted-23", new Promise(() => undefined));
    const socket = await ChatSocket.open("posted-23");
    socket.ask("r1", "hi");
    await socket.chunk("r1");
    const second = await ask("posted-23", "u2", { "x-chat-request-id": "r2" });
    const third = await ask("posted-23", "u3", { "x-chat-request-id": "r3" });
    socket.cancel("r2");
    await second.toEnd();
    socket.clear();
    await third.toEnd();
    for (const events of [second, third])
      expect(events.all.map((event) => event.data)).toEqual(['{"type":"abort"}', "[DONE]"]);
  });

  it("loses nothing for a reader that does not read while more than its mailbox holds goes by", async () => {
    const held = gate();
    const big = "x".repeat(20_000);
    setUp("posted-24", "a", held.passed, ...Array.from({ length: 40 }, (_, i) => `${i}${big}`), "end");
    const socket = await ChatSocket.open("posted-24");
    const slow = await ask("posted-24", "u1", { "x-chat-request-id": "r1" });
    await slow.until('"a"');
    held.open();
    await socket.ended("r1");
    await slow.toEnd();
    const [, stored] = await storedMessages("posted-24");
    expect(textOf(slow.message) === textOf(stored)).toBe(true);
    expect(slow.message).toEqual(stored);
    const ids = slow.all.flatMap((event) => event.id ?? []);
    expect(ids.every((id, at) => id > (ids[at - 1] ?? 0))).toBe(true);
  });

  it("goes back to storage when it falls behind in the middle, and is live again afterwards", async () => {
    const [burst, last] = [gate(), gate()];
    const big = "y".repeat(20_000);
    setUp(
      "posted-25",
      "a",
      burst.passed,
      ...Array.from({ length: 40 }, (_, i) => `${i}${big}`),
      "mark",
      last.passed,
      "z",
    );
    const socket = await ChatSocket.open("posted-25");
    const slow = await ask("posted-25", "u1", { "x-chat-request-id": "r1" });
    await slow.until('"a"');
    burst.open();
    await socket.until((frame) => frame.type === "cf_agent_use_chat_response" && frame.body.includes("mark"));
    await slow.until("mark");
    last.open();
    await slow.toEnd();
    expect(slow.message).toEqual((await storedMessages("posted-25"))[1]);
  });

  it("tells a reader that fell behind when the rest cannot be read, and the turn goes on", async () => {
    const held = gate();
    const big = "y".repeat(20_000);
    const setup = setUp("posted-26", "a", held.passed, ...Array.from({ length: 40 }, (_, i) => `${i}${big}`));
    const socket = await ChatSocket.open("posted-26");
    const slow = await ask("posted-26", "u1", { "x-chat-request-id": "r1" });
    await slow.until('"a"');
    setup.buffer = (real) => ({
      append: (request) => real.append(request),
      read: () => Promise.reject(new Error("gone")),
      finish: real.finish,
      fail: real.fail,
      drop: (ids) => real.drop(ids),
      sweep: (before) => real.sweep(before),
    });
    held.open();
    expect(await socket.ended("r1")).toMatchObject({ outcome: "completed" });
    await slow.toEnd();
    expect(slow.chunks.at(-1)).toMatchObject({ type: "error" });
    expect(slow.all.at(-1)?.data).toBe("[DONE]");
  });

  it("does not disturb the turn when a reader goes away", async () => {
    const held = gate();
    setUp("posted-27", "a", held.passed, "b");
    const socket = await ChatSocket.open("posted-27");
    const events = await ask("posted-27", "u1", { "x-chat-request-id": "r1" });
    await events.until('"a"');
    await events.leave();
    held.open();
    expect(await socket.ended("r1")).toMatchObject({ outcome: "completed" });
    expect((await storedMessages("posted-27")).map(textOf)).toEqual(["hi", "ab"]);
  });
});

const list = (n: number, size = 1): UIMessage[] =>
  Array.from({ length: n }, (_, at) => ({
    id: `m${at}`,
    role: at % 2 === 0 ? "user" : "assistant",
    parts: [{ type: "text", text: `${at}`.padEnd(size, ".") }],
  }));

const fill = (name: string, messages: UIMessage[]): Promise<void> =>
  runInDurableObject(conversation(name), (self) => void (self.messages = messages));

interface Page {
  readonly ids: string[];
  readonly hasMore: string | null;
  readonly chars: number;
}

async function page(name: string, query: string): Promise<Page> {
  const response = await http(name, `/get-messages${query}`);
  expect(response.status).toBe(200);
  const text = await response.text();
  const ids = (JSON.parse(text) as UIMessage[]).map((message) => message.id);
  return { ids, hasMore: response.headers.get("x-chat-has-more"), chars: text.length };
}

/** Every page from the newest back to the first, each asked for by the first id of the one behind it; the oldest first. */
async function allPages(name: string, limit: number): Promise<Page[]> {
  const pages = [await page(name, `?limit=${limit}`)];
  while (pages[0]?.hasMore === "true") pages.unshift(await page(name, `?before=${pages[0].ids[0]}&limit=${limit}`));
  return pages;
}

describe("history over HTTP", () => {
  it.each([1, 7, 24, 25, 26, 500])("gives pages of %i that are the whole history when joined", async (limit) => {
    await fill(`paged-${limit}`, list(25));
    const pages = await allPages(`paged-${limit}`, limit);
    expect(pages.flatMap(({ ids }) => ids)).toEqual(list(25).map((message) => message.id));
    expect(pages).toHaveLength(Math.ceil(25 / limit));
    expect(pages[0]?.hasMore).toBe("false");
  });

  it("gives everything without a query, and an empty page before the first message", async () => {
    await fill("paged-all", list(60));
    expect((await page("paged-all", "")).ids).toHaveLength(60);
    expect((await page("paged-all", "?limit=junk")).ids).toHaveLength(50);
    expect(await page("paged-all", "?before=m0")).toMatchObject({ ids: [], hasMore: "false" });
  });

  it("answers 404 for a message it does not have", async () => {
    const response = await http("paged-404", "/get-messages?before=nobody");
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: "not_found" } });
  });

  it("bounds a page by its bytes, and still reaches the start", async () => {
    await fill("paged-bytes", list(20, 100_000));
    const pages = await allPages("paged-bytes", 20);
    expect(pages.flatMap(({ ids }) => ids)).toHaveLength(20);
    expect(pages.length).toBeGreaterThan(2);
    expect(Math.max(...pages.map(({ chars }) => chars))).toBeLessThan(800_000);
  });

  it("pages on across damaged rows", async () => {
    await fill("paged-damaged", list(9));
    await runInDurableObject(conversation("paged-damaged"), (_, state) => {
      state.storage.sql.exec("UPDATE messages SET body = '{' WHERE id IN ('m3', 'm4')");
    });
    const pages = await allPages("paged-damaged", 2);
    expect(pages.flatMap(({ ids }) => ids)).toEqual(["m0", "m1", "m2", "m5", "m6", "m7", "m8"]);
  });
});

const app = "https://app.example.com";
const evil = "https://evil.example";

function withCors(name: string, origins: readonly string[] | "*"): void {
  stage(name).configure = (self) => (self.cors = { origins, maxAgeSeconds: 60 });
}

const askBefore = (origin: string): Promise<Response> =>
  http("xorigin-1", "/chat", {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type, x-mine",
    },
  });

describe("other origins", () => {
  it("answers a preflight for a listed origin, and refuses any other", async () => {
    withCors("xorigin-1", [app]);
    const good = await askBefore(app);
    expect([good.status, Object.fromEntries(good.headers)]).toMatchObject([
      204,
      {
        "access-control-allow-origin": app,
        "access-control-allow-credentials": "true",
        "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
        "access-control-allow-headers": "content-type, x-mine",
        "access-control-max-age": "60",
        vary: "origin",
      },
    ]);
    expect((await askBefore(evil)).status).toBe(403);
    expect(stage("xorigin-1").seen).toEqual([]);
  });

  it.each<[string, readonly string[] | "*" | null, string | null, string | null]>([
    ["a listed origin", [app], app, app],
    ["an origin that is not listed", [app], evil, null],
    ["any origin", "*", evil, "*"],
    ["an origin when CORS is off", null, app, null],
    ["no origin", [app], null, null],
  ])("sets headers for %s on answers and on errors", async (_, origins, origin, expected) => {
    const name = `xorigin-2-${String(origins)}-${origin}`.replaceAll(/[^\w-]/g, "");
    if (origins !== null) withCors(name, origins);
    const headers: Record<string, string> = origin === null ? {} : { origin };
    for (const path of ["/get-messages", "/get-messages?before=nobody"]) {
      const response = await http(name, path, { headers });
      expect(response.headers.get("access-control-allow-origin"), path).toBe(expected);
      expect(response.headers.get("access-control-allow-credentials"), path).toBe(expected === app ? "true" : null);
    }
  });

  it.each<[string, Record<string, string>, boolean]>([
    ["cookies from a foreign page", { origin: evil, cookie: "s=1" }, false],
    ["cookies from a page without an origin of its own", { origin: "null", cookie: "s=1" }, false],
    ["cookies from a listed page", { origin: app, cookie: "s=1" }, true],
    ["cookies from the same host", { origin: "http://test.local", cookie: "s=1" }, true],
    ["cookies without an origin", { cookie: "s=1" }, true],
    ["a foreign page without cookies", { origin: evil }, true],
  ])("decides on %s in every way in", async (what, headers, isAllowed) => {
    const name = `from-${what.replaceAll(" ", "-")}`;
    withCors(name, [app]);
    const status = async (path: string, method: string) =>
      (await http(name, path, { method, headers, ...(method === "POST" ? { body: "{}" } : {}) })).status;
    expect([
      await status("/get-messages", "GET"),
      await status("/chat", "POST"),
      await status("/chat/x/stream", "GET"),
      await status("/chat/x/stream", "DELETE"),
      await status("/chat", "DELETE"),
      (await upgrade(name, { headers })).status,
    ]).toEqual(isAllowed ? [200, 400, 204, 204, 204, 101] : [403, 403, 403, 403, 403, 403]);
  });
});

const transport = (name: string) =>
  new DefaultChatTransport<UIMessage>({
    api: `http://test.local/agents/test-conversation/${name}/chat`,
    fetch: (input, init) => conversation(name).fetch(new Request(input as string, init)),
  });

async function lastOf(stream: ReadableStream<UIMessageChunk>): Promise<UIMessage | undefined> {
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream })) last = message;
  return last;
}

describe("the AI SDK's own transport", () => {
  it("sends messages and reads what is stored", async () => {
    setUp("aisdk-1", "from ", "the server");
    const stream = await transport("aisdk-1").sendMessages({
      trigger: "submit-message",
      chatId: "c",
      messageId: undefined,
      messages: [userText("u1", "hi")],
      abortSignal: undefined,
    });
    const message = await lastOf(stream);
    const [, stored] = await storedMessages("aisdk-1");
    expect(message).toEqual(stored);
  });

  it("reconnects to the running stream and reads the same message", async () => {
    const held = gate();
    setUp("aisdk-2", "one ", held.passed, "two");
    expect(await transport("aisdk-2").reconnectToStream({ chatId: "c" })).toBeNull();
    const first = await ask("aisdk-2", "u1");
    await first.until("one ");
    const stream = await transport("aisdk-2").reconnectToStream({ chatId: "c" });
    held.open();
    const message = await lastOf(stream as ReadableStream<UIMessageChunk>);
    await first.toEnd();
    expect(message).toEqual((await storedMessages("aisdk-2"))[1]);
  });

  it("regenerates an answer", async () => {
    const setup = setUp("aisdk-3", "old");
    await (await ask("aisdk-3", "u1")).toEnd();
    setup.model = new ScriptedModel(() => say("new"));
    const [user, old] = await storedMessages("aisdk-3");
    const stream = await transport("aisdk-3").sendMessages({
      trigger: "regenerate-message",
      chatId: "c",
      messageId: old?.id,
      messages: [user as UIMessage],
      abortSignal: undefined,
    });
    expect(textOf(await lastOf(stream))).toBe("new");
    expect((await storedMessages("aisdk-3")).map(textOf)).toEqual(["hi", "new"]);
  });
});
