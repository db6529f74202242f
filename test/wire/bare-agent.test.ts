/** The wire of an Agent that is made of the chat layer's units and no Conversation. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import type { ServerFrame } from "../../src/shared/wire.ts";
import { type BareChat, scripts } from "../harness/bare-chat.ts";
import { ChatSocket, textOf } from "../harness/chat-socket.ts";
import { gate } from "../harness/scripted-model.ts";

const stub = (name: string) =>
  (env as unknown as { BareChat: DurableObjectNamespace<BareChat> }).BareChat.getByName(name);

const fetchFrom = (name: string, path: string, headers: Record<string, string> = {}): Promise<Response> =>
  stub(name).fetch(`http://test.local/agents/bare-chat/${name}${path}`, { headers });

const open = async (name: string): Promise<ChatSocket> =>
  ChatSocket.over(await fetchFrom(name, "", { upgrade: "websocket" }));

const history = async (name: string): Promise<string[]> =>
  ((await (await fetchFrom(name, "/get-messages")).json()) as UIMessage[]).map(textOf);

const resuming = (frame: ServerFrame) => frame.type === "cf_agent_stream_resuming";
const isReplayed = (frame: ServerFrame) => frame.type === "cf_agent_use_chat_response" && frame.replayComplete === true;

describe("F187: a bare Agent with the chat protocol in front", () => {
  it("tells the list on connect, streams an answer to everybody, and keeps it", async () => {
    scripts.set("bare-1", ["Hello", ", ", "world"]);
    const [first, second] = [await open("bare-1"), await open("bare-1")];
    expect(await first.until((frame) => frame.type === "cf_agent_chat_messages")).toMatchObject({ messages: [] });
    first.ask("r1", "hi");
    await Promise.all([first.ended("r1"), second.ended("r1")]);
    expect(textOf(first.folded("r1"))).toBe("Hello, world");
    expect(second.folded("r1")).toEqual(first.folded("r1"));
    expect(await history("bare-1")).toEqual(["hi", "Hello, world"]);
  });

  it("leaves other frames and requests to the Agent's own handlers", async () => {
    const socket = await open("bare-2");
    socket.send("hello");
    await socket.foreignCount(1, (text) => text === "echo hello");
    socket.send({ type: "cf_agent_use_chat_request", id: "r1", init: { method: "GET", body: "{}" } });
    expect(await socket.ended("r1")).toMatchObject({ error: true, code: "bad_request" });
    socket.send({ type: "cf_agent_use_chat_request", id: "r2" });
    expect(await socket.ended("r2")).toMatchObject({ error: true, code: "bad_request" });
    socket.send({ type: "cf_agent_use_chat_request", id: "r3", init: { method: "POST", body: "not json" } });
    expect(await socket.ended("r3")).toMatchObject({ error: true, code: "internal" });
  });

  it("offers a running stream to who connects, and neither repeats nor leaves out a chunk", async () => {
    const held = gate();
    scripts.set("bare-3", ["one ", held.passed, "two"]);
    const first = await open("bare-3");
    first.ask("r1", "hi");
    await first.chunk("r1", 3);
    const late = await open("bare-3");
    await late.until(resuming);
    late.send({ type: "cf_agent_stream_resume_ack", id: "nobody" });
    late.send({ type: "cf_agent_stream_resume_ack", id: "r1" });
    await late.until(isReplayed);
    held.open();
    await Promise.all([first.ended("r1"), late.ended("r1")]);
    expect(late.folded("r1")).toEqual(first.folded("r1"));
    expect(textOf(late.folded("r1"))).toBe("one two");
  });

  it("T61: replays a stream that ended between its offer and the ACK", async () => {
    const held = gate();
    scripts.set("bare-4", ["one ", held.passed, "two"]);
    const first = await open("bare-4");
    first.ask("r1", "hi");
    await first.chunk("r1", 3);
    const late = await open("bare-4");
    await late.until(resuming);
    held.open();
    await first.ended("r1");
    late.send({ type: "cf_agent_stream_resume_ack", id: "r1" });
    expect(await late.ended("r1")).toMatchObject({ done: true, replay: true });
    expect(textOf(late.folded("r1"))).toBe("one two");
  });

  it("answers probes under their ids: none, resuming, and pending that is followed by resuming", async () => {
    const held = gate();
    scripts.set("bare-5", ["one ", held.passed]);
    const socket = await open("bare-5");
    expect(await socket.settled()).toMatchObject({ type: "cf_agent_stream_resume_none", reason: "idle" });
    await runInDurableObject(stub("bare-5"), (self) => void self.continuation.request({ requestId: "r1" }));
    expect(await socket.settled()).toMatchObject({ type: "cf_agent_stream_pending" });
    const other = await open("bare-5");
    other.ask("r1", "go on");
    await socket.until(resuming);
    expect(await other.settled()).toMatchObject({ type: "cf_agent_stream_resuming", id: "r1" });
    expect(socket.responses("r1")).toEqual([]);
    held.open();
    other.send({ type: "cf_agent_stream_resume_ack", id: "r1" });
    await other.ended("r1");
  });

  it("cancels and clears, and tells who waits that nothing comes", async () => {
    scripts.set("bare-6", ["some", new Promise(() => undefined)]);
    const socket = await open("bare-6");
    socket.ask("r1", "hi");
    await socket.chunk("r1", 3);
    socket.cancel("r1");
    await socket.ended("r1");
    expect(await history("bare-6")).toEqual(["hi", "some"]);
    await runInDurableObject(stub("bare-6"), (self) => void self.continuation.request({ requestId: "r2" }));
    await socket.settled();
    socket.clear();
    await socket.until((frame) => frame.type === "cf_agent_chat_clear");
    expect(socket.of("cf_agent_stream_resume_none")).toHaveLength(1);
    expect(await history("bare-6")).toEqual([]);
  });

  it("F79: ends a stream whose producer died, with what was stored of it, and keeps that", async () => {
    scripts.set("bare-7", [...Array.from({ length: 20 }, (_, n) => `${n} `), new Promise(() => undefined)]);
    const socket = await open("bare-7");
    socket.ask("r1", "hi");
    await socket.chunk("r1", 22);
    await runInDurableObject(stub("bare-7"), (_, state) => state.abort("lost")).catch(() => undefined);
    const late = await open("bare-7");
    await late.until(resuming);
    late.send({ type: "cf_agent_stream_resume_ack", id: "r1" });
    await late.ended("r1");
    expect(textOf(late.folded("r1"))).toMatch(/^0 1 2 /);
    expect(await history("bare-7")).toEqual([textOf(late.folded("r1"))]);
    expect(await late.settled()).toMatchObject({ type: "cf_agent_stream_resume_none" });
  });
});
