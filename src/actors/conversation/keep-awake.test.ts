/** When a conversation wakes itself: while it works, once more for what work leaves behind, and never otherwise. */
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { stage } from "../../../test/harness/agents.ts";
import { ChatSocket, conversation, storedMessages } from "../../../test/harness/chat-socket.ts";
import type { StreamBufferContract } from "../stream-buffer/contract.ts";
import { gate, say, ScriptedModel } from "../../../test/harness/scripted-model.ts";

const HOUR_MS = 3_600_000;

/** Milliseconds until the alarm; null when none is set. */
const alarmInMs = async (name: string): Promise<number | null> => {
  const at = await runInDurableObject(conversation(name), (_, state) => state.storage.getAlarm());
  return at === null ? null : at - Date.now();
};

/** Streams that the conversation's buffer holds. */
const storedStreams = (name: string): Promise<number> =>
  runInDurableObject(conversation(name), async (self) => {
    const { dropped } = await self.streamBufferActor().sweep(Number.MAX_SAFE_INTEGER);
    return dropped;
  });

/** A stub's verbs as own properties, so that one of them can be replaced. */
const withoutChange = (real: StreamBufferContract): StreamBufferContract => ({
  append: (request) => real.append(request),
  read: (request) => real.read(request),
  finish: (id, atMs) => real.finish(id, atMs),
  fail: (id, message, atMs) => real.fail(id, message, atMs),
  drop: (ids) => real.drop(ids),
  sweep: (beforeMs) => real.sweep(beforeMs),
});

const keep = (name: string, ms: number) => (stage(name).configure = (self) => (self.streamRetentionMs = ms));

describe("an alarm", () => {
  it("is not set by connecting, reading and asking what runs", async () => {
    const socket = await ChatSocket.open("awake-1");
    await socket.settled();
    await storedMessages("awake-1");
    expect(await alarmInMs("awake-1")).toBeNull();
  });

  it("beats while a turn runs, and then waits for retention", async () => {
    const held = gate();
    stage("awake-2").model = new ScriptedModel(() => say("a", held.passed));
    const socket = await ChatSocket.open("awake-2");
    socket.ask("r1", "hi");
    await socket.chunk("r1", 3);
    expect(await alarmInMs("awake-2")).toBeLessThanOrEqual(30_000);
    held.open();
    await socket.ended("r1");
    await socket.settled();
    const rest = (await alarmInMs("awake-2")) ?? 0;
    expect(rest).toBeGreaterThan(HOUR_MS - 60_000);
    expect(rest).toBeLessThanOrEqual(HOUR_MS);
  });

  it("drops what is old when it rings, and is gone with it", async () => {
    keep("awake-3", 0);
    const socket = await ChatSocket.open("awake-3");
    socket.ask("r1", "hi");
    await socket.ended("r1");
    await vi.waitFor(() => expect(stage("awake-3").calls["sweep"]).toBe(1), 5000);
    await vi.waitFor(async () => expect(await alarmInMs("awake-3")).toBeNull(), 5000);
    expect(await storedStreams("awake-3")).toBe(0);
  });

  it("is set for what is left when it rings", async () => {
    const setup = stage("awake-4");
    setup.configure = (self) => (self.streamRetentionMs = 0);
    setup.buffer = (real) => ({
      ...withoutChange(real),
      sweep: () => Promise.resolve({ dropped: 0, oldestMs: Date.now() + HOUR_MS }),
    });
    const socket = await ChatSocket.open("awake-4");
    socket.ask("r1", "hi");
    await socket.ended("r1");
    await vi.waitFor(() => expect(setup.calls["sweep"]).toBe(1), 5000);
    await vi.waitFor(async () => expect(await alarmInMs("awake-4")).toBeGreaterThan(HOUR_MS - 60_000), 5000);
  });

  it("drops also an append that lands behind the clearing of its stream", async () => {
    const held = gate();
    const setup = stage("awake-5");
    setup.configure = (self) => {
      self.streamRetentionMs = 500;
      self.flushLimits = { ms: 0, bytes: 1, chunks: 1 };
    };
    setup.model = new ScriptedModel(() => say("a", new Promise(() => undefined)));
    let landed = 0;
    setup.buffer = (real) => ({
      ...withoutChange(real),
      append: async (request) => {
        await held.passed;
        const result = await real.append(request);
        landed = result.lastSeq;
        return result;
      },
    });
    const socket = await ChatSocket.open("awake-5");
    socket.ask("r1", "hi");
    await socket.chunk("r1");
    socket.clear();
    await socket.ended("r1");
    await vi.waitFor(() => expect(setup.calls["drop"]).toBe(1), 5000);
    held.open();
    await vi.waitFor(() => expect(landed).toBeGreaterThan(0), 5000);
    await vi.waitFor(() => expect(setup.calls["sweep"]).toBe(1), 10_000);
    await vi.waitFor(async () => expect(await alarmInMs("awake-5")).toBeNull(), 5000);
    expect(await storedStreams("awake-5")).toBe(0);
  });

  it("does not keep a turn from running when it cannot be set", async () => {
    await runInDurableObject(conversation("awake-6"), (_, state) => {
      state.storage.setAlarm = () => Promise.reject(new Error("no alarms today"));
    });
    const socket = await ChatSocket.open("awake-6");
    socket.ask("r1", "hi");
    expect(await socket.ended("r1")).toMatchObject({ outcome: "completed" });
  });
});
