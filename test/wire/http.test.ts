/** The HTTP side of a conversation: server-sent events, resuming, cancelling, history. */
import type { UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { applyChunk, emptyAssistant, startFold } from "../../src/shared/apply-chunk.ts";
import { stage } from "../harness/agents.ts";
import { ChatSocket, http, storedMessages, textOf, userText } from "../harness/chat-socket.ts";
import { gate, say, ScriptedModel } from "../harness/scripted-model.ts";

interface ServerEvent {
  readonly id: number | null;
  readonly data: string;
}

/** The events of a response as they come. */
async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
  let text = "";
  const body = response.body?.pipeThrough(new TextDecoderStream()) ?? [];
  for await (const piece of body as AsyncIterable<string>) {
    text += piece;
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const [, id, data = ""] = /^(?:id: (\d+)\n)?data: ([\s\S]*)$/.exec(text.slice(0, end)) ?? [];
      yield { id: id === undefined ? null : Number(id), data };
      text = text.slice(end + 2);
    }
  }
}

async function allOf(events: AsyncIterable<ServerEvent>): Promise<ServerEvent[]> {
  const all: ServerEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

function post(name: string, text: string, headers: Record<string, string> = {}): Promise<Response> {
  const body = JSON.stringify({ messages: [userText(`${text}-id`, text)] });
  return http(name, "/chat", { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
}

const chunksOf = (events: readonly ServerEvent[]) =>
  events.flatMap(({ id, data }) => (id === null ? [] : [JSON.parse(data) as UIMessageChunk]));

describe("POST …/chat", () => {
  it("streams events under their seqs that fold to the stored message, and [DONE]", async () => {
    stage("sse-1").model = new ScriptedModel(() => say("Hello", ", ", "world"));
    const response = await post("sse-1", "hi", { "x-chat-request-id": "mine" });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    expect(response.headers.get("x-chat-request-id")).toBe("mine");
    const events = await allOf(eventsOf(response));
    expect(events.at(-1)).toEqual({ id: null, data: "[DONE]" });
    const ids = events.slice(0, -1).map(({ id }) => id);
    expect(ids).toEqual(ids.map((_, at) => at + 1));
    const stored = await storedMessages("sse-1");
    const fold = startFold(emptyAssistant(stored[1]?.id ?? ""));
    expect(chunksOf(events).reduce(applyChunk, fold).message).toEqual(stored[1]);
    // The same request id again is the same turn.
    const again = await allOf(eventsOf(await post("sse-1", "hi", { "x-chat-request-id": "mine" })));
    expect(chunksOf(again).reduce(applyChunk, fold).message).toEqual(stored[1]);
    expect(await storedMessages("sse-1")).toEqual(stored);
  });

  it("tells a failure as the last chunk, in words that are safe, and a cancelled turn as abort", async () => {
    const held = new Promise<never>(() => undefined);
    stage("sse-2").model = new ScriptedModel((_, n) =>
      n === 0 ? say("a", new Error("key sk-1 is wrong")) : say("b", held),
    );
    const failed = await allOf(eventsOf(await post("sse-2", "one")));
    expect(failed.slice(-2).map(({ data }) => data)).toEqual([
      JSON.stringify({ type: "error", errorText: "Something went wrong." }),
      "[DONE]",
    ]);
    const events = eventsOf(await post("sse-2", "two"));
    while (!(await events.next()).value?.data.includes('"b"'));
    expect((await http("sse-2", "/chat/any/stream", { method: "DELETE" })).status).toBe(204);
    const rest = await allOf(events);
    expect(rest.slice(-2).map(({ data }) => data)).toEqual([JSON.stringify({ type: "abort" }), "[DONE]"]);
    expect((await storedMessages("sse-2")).map(textOf)).toEqual(["one", "a", "two", "b"]);
  });

  it("says in a header that a request became no turn, and of no other", async () => {
    expect((await post("sse-5", "hi")).headers.get("x-chat-outcome")).toBeNull();
    const again = await post("sse-5", "hi");
    expect(again.status).toBe(200);
    expect(again.headers.get("x-chat-outcome")).toBe("skipped");
    expect(await allOf(eventsOf(again))).toEqual([{ id: null, data: "[DONE]" }]);
    expect((await storedMessages("sse-5")).filter(({ role }) => role === "user")).toHaveLength(1);
  });

  it("refuses bodies that do not validate with a code and a text", async () => {
    for (const body of ["not json", "{}", JSON.stringify({ messages: [] })]) {
      const response = await http("sse-3", "/chat", { method: "POST", body });
      expect(response.status).toBe(400);
      const { error } = (await response.json()) as { error: { code: string; message: string; retryable: boolean } };
      expect(error.code).toMatch(/bad_request|empty_messages/);
      expect(error.message.length).toBeGreaterThan(10);
      expect(error.retryable).toBe(false);
    }
  });
});

describe("GET …/chat/<id>/stream", () => {
  it("goes on behind Last-Event-ID, and answers 204 when nothing runs or waits", async () => {
    const held = gate();
    stage("sse-4").model = new ScriptedModel(() => say("one ", held.passed, "two"));
    expect((await http("sse-4", "/chat/x/stream")).status).toBe(204);
    const socket = await ChatSocket.open("sse-4");
    socket.ask("r1", "hi");
    await socket.chunk("r1", 3);
    const all = eventsOf(await http("sse-4", "/chat/x/stream"));
    const rest = eventsOf(await http("sse-4", "/chat/x/stream", { headers: { "last-event-id": "3" } }));
    held.open();
    const [whole, tail] = await Promise.all([allOf(all), allOf(rest)]);
    expect(tail[0]?.id).toBe(4);
    await socket.ended("r1");
    const stored = (await storedMessages("sse-4"))[1];
    const fold = startFold(emptyAssistant(stored?.id ?? ""));
    expect(chunksOf(whole).reduce(applyChunk, fold).message).toEqual(stored);
    expect(tail).toEqual(whole.slice(-tail.length));
    expect((await http("sse-4", "/chat/x/stream")).status).toBe(204);
  });
});

describe("DELETE …/chat", () => {
  it("clears for everybody: ends the stream with abort, tells the sockets, deletes what is stored", async () => {
    const held = new Promise<never>(() => undefined);
    stage("sse-clear").model = new ScriptedModel((_, n) => (n === 0 ? say("half", held) : say("new")));
    const socket = await ChatSocket.open("sse-clear");
    const events = eventsOf(await post("sse-clear", "one"));
    while (!(await events.next()).value?.data.includes('"half"'));
    expect((await http("sse-clear", "/chat", { method: "DELETE" })).status).toBe(204);
    expect((await allOf(events)).map(({ data }) => data)).toEqual([JSON.stringify({ type: "abort" }), "[DONE]"]);
    await socket.until((frame) => frame.type === "cf_agent_chat_clear");
    expect(await storedMessages("sse-clear")).toEqual([]);
    // The same ids may come again, and an empty conversation is cleared as well.
    await allOf(eventsOf(await post("sse-clear", "one")));
    expect((await storedMessages("sse-clear")).map(textOf)).toEqual(["one", "new"]);
    expect((await http("sse-clear", "/chat", { method: "DELETE" })).status).toBe(204);
    expect((await http("sse-clear", "/chat", { method: "DELETE" })).status).toBe(204);
    expect(await storedMessages("sse-clear")).toEqual([]);
  });
});

describe("a path of ours", () => {
  it.each([
    ["GET", "/chat", "POST, DELETE, OPTIONS"],
    ["PUT", "/chat", "POST, DELETE, OPTIONS"],
    ["POST", "/get-messages", "GET, OPTIONS"],
    ["POST", "/chat/x/stream", "GET, DELETE, OPTIONS"],
  ])("answers %s %s with 405 and the methods it takes", async (method, path, allow) => {
    const response = await http("methods", path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe(allow);
    expect(await response.json()).toMatchObject({ error: { code: "bad_request", retryable: false } });
  });
});

describe("GET …/get-messages", () => {
  it("gives everything, or pages that join to the same", async () => {
    const socket = await ChatSocket.open("pages-1", { capabilities: "delta" });
    for (const id of ["r1", "r2", "r3"]) {
      socket.ask(id, id);
      await socket.ended(id);
    }
    const stored = await storedMessages("pages-1");
    const whole = await http("pages-1", "/get-messages");
    expect(whole.headers.get("x-chat-has-more")).toBeNull();
    expect(await whole.json()).toEqual(stored);
    const pages: unknown[][] = [];
    for (let before: string | null = ""; before !== null;) {
      const query: string = before === "" ? "limit=4" : `limit=4&before=${before}`;
      const response = await http("pages-1", `/get-messages?${query}`);
      const page = (await response.json()) as { id: string }[];
      pages.unshift(page);
      before = response.headers.get("x-chat-has-more") === "true" ? (page[0]?.id ?? null) : null;
    }
    expect(pages.map((page) => page.length)).toEqual([2, 4]);
    expect(pages.flat()).toEqual(stored);
  });

  it("says so when there is no message to page from", async () => {
    const response = await http("pages-2", "/get-messages?before=nobody");
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: "not_found", retryable: false } });
    expect(await (await http("pages-2", "/get-messages")).json()).toEqual([]);
  });
});
