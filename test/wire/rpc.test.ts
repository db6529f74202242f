/** A conversation over RPC: `chat()` with a callback, private configuration, children, rest. */
import { RpcTarget } from "cloudflare:workers";
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { StreamCallback } from "../../src/index.ts";
import { stage, TestConversation } from "../harness/agents.ts";
import { ChatSocket, conversation, crash, http, storedMessages, textOf } from "../harness/chat-socket.ts";
import { gate, say, ScriptedModel } from "../harness/scripted-model.ts";

class Relay extends RpcTarget implements StreamCallback {
  readonly calls: string[] = [];
  readonly #onEvent: (type: string) => void;

  constructor(onEvent: (type: string) => void = () => undefined) {
    super();
    this.#onEvent = onEvent;
  }

  onStart(): void {
    this.calls.push("start");
  }

  onEvent(json: string): void {
    const { type } = JSON.parse(json) as { type: string };
    this.calls.push(type);
    this.#onEvent(type);
  }

  onDone(): void {
    this.calls.push("done");
  }

  onError(message: string): void {
    this.calls.push(`error ${message}`);
  }
}

const configOf = (name: string) => runInDurableObject(conversation(name), (self) => self.getConfig<{ tier: string }>());
const alarmOf = (name: string) => runInDurableObject(conversation(name), (_, state) => state.storage.getAlarm());
const replaceMessages = (name: string) =>
  runInDurableObject(conversation(name), (self) => {
    self.messages = [{ id: "m", role: "user", parts: [{ type: "text", text: "new" }] }];
  });

describe("chat()", () => {
  it("calls start, each chunk in order, then done or error once, and stores what a socket would have", async () => {
    stage("rpc-1").model = new ScriptedModel((_, n) => (n === 0 ? say("Hello") : say("a", new Error("down"))));
    const relay = new Relay();
    await conversation("rpc-1").chat("hi", relay);
    const chunks = ["start", "start-step", "text-start", "text-delta", "text-end", "finish-step", "finish"];
    expect(relay.calls).toEqual(["start", ...chunks, "done"]);
    const failing = new Relay();
    await conversation("rpc-1").chat("again", failing);
    expect(failing.calls[0]).toBe("start");
    expect(failing.calls.filter((call) => call.startsWith("error") || call === "done")).toEqual([
      "error Something went wrong.",
    ]);
    expect((await storedMessages("rpc-1")).map(textOf)).toEqual(["hi", "Hello", "again", "a"]);
  });

  it("is silent after the caller's signal, and keeps the partial", async () => {
    const held = new Promise<never>(() => undefined);
    stage("rpc-2").model = new ScriptedModel(() => say("half ", held));
    const relay = await runInDurableObject(conversation("rpc-2"), async (self) => {
      const stop = new AbortController();
      const relay = new Relay((type) => type === "text-delta" && stop.abort());
      await self.chat("hi", relay, { signal: stop.signal });
      return relay;
    });
    expect(relay.calls.slice(-1)).toEqual(["text-delta"]);
    expect((await storedMessages("rpc-2")).map(textOf)).toEqual(["hi", "half "]);
  });
});

describe("configure()", () => {
  it("stores private JSON that survives a crash and reaches no client", async () => {
    expect(await configOf("rpc-3")).toBeNull();
    await conversation("rpc-3").configure({ tier: "confidential" });
    await crash("rpc-3");
    expect(await configOf("rpc-3")).toEqual({ tier: "confidential" });
    const socket = await ChatSocket.open("rpc-3");
    socket.ask("r1", "hi");
    await socket.ended("r1");
    const history = await (await http("rpc-3", "/get-messages")).text();
    expect(JSON.stringify([socket.frames, socket.foreign]) + history).not.toContain("confidential");
    await expect(runInDurableObject(conversation("rpc-3"), (self) => self.configure(undefined))).rejects.toThrow(
      "JSON",
    );
  });
});

describe("messages", () => {
  it("are replaced by assignment between turns, and not while one runs", async () => {
    const held = gate();
    stage("rpc-4").model = new ScriptedModel(() => say("a", held.passed));
    const socket = await ChatSocket.open("rpc-4", { capabilities: "delta" });
    socket.ask("r1", "hi");
    await socket.chunk("r1");
    await expect(replaceMessages("rpc-4")).rejects.toThrow("between turns");
    held.open();
    await socket.ended("r1");
    await replaceMessages("rpc-4");
    expect((await storedMessages("rpc-4")).map(textOf)).toEqual(["new"]);
    await socket.settled();
    expect(socket.of("cf_agent_chat_tail").at(-1)).toEqual({
      type: "cf_agent_chat_tail",
      after: null,
      messages: await storedMessages("rpc-4"),
    });
  });
});

describe("a conversation at rest", () => {
  it("has no alarm before its first turn, and after the last one that of the sweep", async () => {
    const socket = await ChatSocket.open("rest-1");
    await socket.settled();
    expect(await alarmOf("rest-1")).toBeNull();
    const before = Date.now();
    socket.ask("r1", "hi");
    await socket.ended("r1");
    await conversation("rest-1").getMessages();
    expect(((await alarmOf("rest-1")) ?? 0) - before).toBeGreaterThan(3_500_000);
  });

  it("has no alarm once its streams are swept, and answers a late acknowledgement with the message and the end", async () => {
    stage("rest-3").configure = (self) => void (self.streamRetentionMs = 1);
    const socket = await ChatSocket.open("rest-3");
    socket.ask("r1", "hi");
    await socket.ended("r1");
    const { calls } = stage("rest-3");
    while (calls["sweep"] === undefined || (await alarmOf("rest-3")) !== null)
      await runDurableObjectAlarm(conversation("rest-3"));
    socket.send({ type: "cf_agent_stream_resume_ack", id: "r1" });
    const end = await socket.until((frame) => "replay" in frame && "done" in frame && frame.done);
    expect(end).toMatchObject({ id: "r1", outcome: "completed" });
    const replayed = socket.responses("r1").filter((frame) => frame.replay);
    expect(replayed.at(-1)).toEqual(end);
    expect(replayed.filter((frame) => frame.body.includes('"ok"'))).toHaveLength(1);
  });

  it("sweeps as a child, which has no alarm of its own, when its next turn starts", async () => {
    stage("rest-kid").configure = (self) => void (self.streamRetentionMs = 1);
    const relay = new Relay();
    await runInDurableObject(conversation("rest-2"), async (self) => {
      const child = await self.subAgent(TestConversation, "rest-kid");
      await child.chat("hi", relay);
      expect(stage("rest-kid").calls["sweep"]).toBe(1);
      await child.chat("again", relay);
    });
    expect(stage("rest-kid").calls["sweep"]).toBe(2);
    expect(relay.calls.filter((call) => call === "done")).toHaveLength(2);
  });
});
