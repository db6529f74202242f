import { describe, expect, it, vi } from "vitest";
import type { ResponseFrame, ServerFrame } from "../../src/shared/wire.ts";
import { type Stage, stage } from "../harness/agents.ts";
import { ChatSocket, conversation, crash, storedMessages, textOf } from "../harness/chat-socket.ts";
import { type Beat, gate, say, ScriptedModel } from "../harness/scripted-model.ts";

const never = new Promise<never>(() => undefined);

function setUp(name: string, ...deltas: (string | Promise<unknown>)[]): Stage {
  const setup = stage(name);
  setup.configure = (self) => (self.joinDeltasMs = 0);
  setup.model = new ScriptedModel(() => say(...deltas));
  return setup;
}

const resuming = (id: string) => (frame: ServerFrame) => frame.type === "cf_agent_stream_resuming" && frame.id === id;

async function ack(socket: ChatSocket, id: string, after?: number): Promise<void> {
  await socket.until(resuming(id));
  socket.send({ type: "cf_agent_stream_resume_ack", id, ...(after === undefined ? {} : { after }) });
}

async function caughtUp(socket: ChatSocket, id: string): Promise<void> {
  await socket.until(
    (frame) => frame.type === "cf_agent_use_chat_response" && frame.id === id && frame.replayComplete === true,
  );
}

const seqs = (socket: ChatSocket, id: string): number[] =>
  socket.responses(id).flatMap((frame: ResponseFrame) => frame.seq ?? []);

describe("resuming", () => {
  it("F36: answers an idle probe at once with none, echoing its id", async () => {
    const socket = await ChatSocket.open("resume-1");
    socket.send({ type: "cf_agent_stream_resume_request", probeId: "p" });
    expect(await socket.until((frame) => frame.type === "cf_agent_stream_resume_none")).toEqual({
      type: "cf_agent_stream_resume_none",
      reason: "idle",
      probeId: "p",
    });
  });

  it("F41, F39: offers the stream before it sends the list, to stock clients and to ours", async () => {
    setUp("resume-2", "a", never);
    const first = await ChatSocket.open("resume-2");
    first.ask("r1", "hi");
    await first.chunk("r1", 3);
    for (const capabilities of [undefined, "delta,cursor"]) {
      const late = await ChatSocket.open("resume-2", capabilities === undefined ? {} : { capabilities });
      await late.until((frame) => frame.type === "cf_agent_chat_messages");
      expect(late.frames.map((frame) => frame.type)).toEqual(["cf_agent_stream_resuming", "cf_agent_chat_messages"]);
      expect(late.of("cf_agent_chat_messages")[0]).toMatchObject({ connect: true, messages: [{ id: "r1-user" }] });
    }
    first.cancel("r1");
    await first.ended("r1");
  });

  it("F78: sends nothing of the stream to a socket that never acknowledges, and the next stream to it as to all", async () => {
    const held = gate();
    const setup = setUp("resume-3", "a", held.passed, "b");
    const first = await ChatSocket.open("resume-3");
    first.ask("r1", "hi");
    await first.chunk("r1", 3);
    const deaf = await ChatSocket.open("resume-3");
    await deaf.until(resuming("r1"));
    held.open();
    await first.ended("r1");
    await deaf.settled();
    expect(deaf.responses("r1")).toEqual([]);
    setup.model = new ScriptedModel(() => say("next"));
    first.ask("r2", "again");
    await deaf.ended("r2");
    expect(textOf(deaf.folded("r2"))).toBe("next");
  });

  it("T61: an ACK that comes after the end replays the whole stream and its ending", async () => {
    const held = gate();
    setUp("resume-4", "a", held.passed, "b");
    const first = await ChatSocket.open("resume-4");
    first.ask("r1", "hi");
    await first.chunk("r1", 3);
    const late = await ChatSocket.open("resume-4");
    await late.until(resuming("r1"));
    held.open();
    await first.ended("r1");
    late.send({ type: "cf_agent_stream_resume_ack", id: "r1" });
    expect(await late.ended("r1")).toMatchObject({ outcome: "completed", replay: true });
    expect(late.folded("r1")).toEqual(first.folded("r1"));
  });

  it("goes on after the cursor, from storage and from memory, without gap or repetition", async () => {
    const held = gate();
    const words = Array.from({ length: 40 }, (_, i) => `w${i} `);
    setUp("resume-5", ...words, held.passed, "end");
    stage("resume-5").configure = (self) => {
      self.joinDeltasMs = 0;
      self.flushLimits = { ms: 250, bytes: 1_000_000, chunks: 16 };
    };
    const first = await ChatSocket.open("resume-5");
    first.ask("r1", "hi");
    await first.until((frame) => frame.type === "cf_agent_use_chat_response" && frame.body.includes("w39"));
    const all = seqs(first, "r1").length;
    const sockets = await Promise.all(
      [0, 1, 15, 16, 17, 33, all - 1, all].map(async (after) => {
        const socket = await ChatSocket.open("resume-5", { capabilities: "delta,cursor" });
        await ack(socket, "r1", after);
        await caughtUp(socket, "r1");
        return { after, socket };
      }),
    );
    held.open();
    await first.ended("r1");
    const whole = textOf(first.folded("r1"));
    for (const { after, socket } of sockets) {
      await socket.ended("r1");
      const known = first.chunks("r1").slice(0, after);
      const rest = [...known, ...socket.chunks("r1")];
      const text = rest.map((chunk) => (chunk.type === "text-delta" ? chunk.delta : "")).join("");
      expect(text, `after ${after}`).toBe(whole);
      const got = seqs(socket, "r1");
      expect(
        got.every((seq, i) => seq > (got[i - 1] ?? after)),
        `after ${after}`,
      ).toBe(true);
    }
  });

  it("ignores a second ACK, and an ACK of a socket that hears the stream already", async () => {
    const held = gate();
    setUp("resume-6", "a", held.passed, "b");
    const first = await ChatSocket.open("resume-6");
    first.ask("r1", "hi");
    await first.chunk("r1", 3);
    const second = await ChatSocket.open("resume-6");
    await ack(second, "r1");
    second.send({ type: "cf_agent_stream_resume_ack", id: "r1" });
    second.send({ type: "cf_agent_stream_resume_ack", id: "r1" });
    first.send({ type: "cf_agent_stream_resume_ack", id: "r1" });
    await caughtUp(second, "r1");
    held.open();
    await second.ended("r1");
    await first.ended("r1");
    for (const socket of [first, second]) {
      expect(textOf(socket.folded("r1"))).toBe("ab");
      expect(socket.responses("r1").filter((frame) => frame.done)).toHaveLength(1);
    }
  });

  it("T55, T56: tells a socket to wait for a turn in line, and keeps the promise: stream, ending or none", async () => {
    const firstGate = gate();
    const secondGate = gate();
    const setup = setUp("resume-7");
    let n = 0;
    setup.onChatMessage = async (options, self) => {
      if (n++ === 0) await firstGate.passed;
      else await secondGate.passed;
      setup.model = new ScriptedModel(() => say(`answer ${n}`));
      return Object.getPrototypeOf(Object.getPrototypeOf(self)).onChatMessage.call(self, options);
    };
    const first = await ChatSocket.open("resume-7");
    first.ask("r1", "one");
    first.ask("r2", "two");
    await first.until((frame) => frame.type === "cf_agent_chat_messages" && frame.messages.length === 2);
    const late = await ChatSocket.open("resume-7");
    const offer = await late.until((frame) => frame.type === "cf_agent_stream_resuming");
    expect(offer).toMatchObject({ id: "r1" });
    late.send({ type: "cf_agent_stream_resume_ack", id: "r1" });
    firstGate.open();
    await late.ended("r1");
    secondGate.open();
    await late.ended("r2");
    expect(textOf(late.folded("r2"))).toBe("answer 2");
  });

  it("gives the ending of a request again to the one who asks, and names the ones it has never seen", async () => {
    setUp("resume-8", "a");
    const socket = await ChatSocket.open("resume-8");
    socket.ask("r1", "hi");
    await socket.ended("r1");
    const back = await ChatSocket.open("resume-8", { capabilities: "delta,cursor" });
    back.send({ type: "cf_agent_stream_resume_request", probeId: "p", requests: ["r1", "lost"] });
    expect(await back.until((frame) => "probeId" in frame && frame.probeId === "p")).toEqual({
      type: "cf_agent_stream_resume_none",
      reason: "idle",
      probeId: "p",
      unknown: ["lost"],
    });
    expect(back.responses("r1")).toMatchObject([{ done: true, outcome: "completed" }]);
  });

  it("replays a burst of thousands of deltas in few frames", async () => {
    const held = gate();
    setUp("resume-9", ...Array.from({ length: 2_500 }, (_, i) => `d${i} `), held.passed);
    const first = await ChatSocket.open("resume-9");
    first.ask("r1", "hi");
    await first.until((frame) => frame.type === "cf_agent_use_chat_response" && frame.body.includes("d2499"));
    const late = await ChatSocket.open("resume-9");
    await ack(late, "r1");
    await caughtUp(late, "r1");
    expect(late.responses("r1").length).toBeLessThanOrEqual(60);
    held.open();
    await late.ended("r1");
    expect(textOf(late.folded("r1"))).toBe(textOf(first.folded("r1")));
  });
});

describe("after the object lost its memory", () => {
  it("F79, T53: keeps the partial, ends the turn as interrupted, and tells everybody who comes back", async () => {
    setUp("lost-1", "half", " an ", "answer", never);
    stage("lost-1").configure = (self) => {
      self.joinDeltasMs = 0;
      self.flushLimits = { ms: 1, bytes: 1_000_000, chunks: 1 };
    };
    const isStored = watchStored(stage("lost-1"), "answer");
    const first = await ChatSocket.open("lost-1");
    first.ask("r1", "hi");
    await vi.waitUntil(isStored, 10_000);
    await crash("lost-1");
    const back = await ChatSocket.open("lost-1", { capabilities: "delta,cursor" });
    back.send({ type: "cf_agent_stream_resume_request", probeId: "p", requests: ["r1"] });
    expect(await back.ended("r1")).toMatchObject({ error: true, code: "interrupted", retryable: true });
    const messages = await storedMessages("lost-1");
    expect(messages.map(textOf)).toEqual(["hi", "half an answer"]);
    expect(messages[1]?.metadata).toMatchObject({ troupe: { outcome: "failed", error: { code: "interrupted" } } });
    const later = await ChatSocket.open("lost-1", { capabilities: "delta,cursor" });
    later.send({ type: "cf_agent_stream_resume_request", probeId: "p", requests: ["r1"] });
    expect(await later.ended("r1")).toMatchObject({ error: true, code: "interrupted" });
    stage("lost-1").model = new ScriptedModel(() => say("whole"));
    later.ask("r2", [], { trigger: "regenerate-message" });
    expect(await later.ended("r2")).toMatchObject({ outcome: "completed" });
    expect((await storedMessages("lost-1")).map(textOf)).toEqual(["hi", "whole"]);
  });

  it("runs what was waiting in line, in order", async () => {
    const setup = setUp("lost-2");
    let n = 0;
    setup.model = new ScriptedModel(() => (n++ === 0 ? say("cut", never) : say(`answer ${n}`)) as Iterable<Beat>);
    const first = await ChatSocket.open("lost-2");
    first.ask("r1", "one");
    first.ask("r2", "two");
    await first.chunk("r1", 3);
    await first.until((frame) => frame.type === "cf_agent_chat_messages" && frame.messages.length === 2);
    await crash("lost-2");
    const back = await ChatSocket.open("lost-2", { capabilities: "delta,cursor" });
    back.send({ type: "cf_agent_stream_resume_request", probeId: "p", requests: ["r1", "r2"] });
    expect(await back.ended("r1")).toMatchObject({ code: "interrupted" });
    void ack(back, "r2");
    expect(await back.ended("r2")).toMatchObject({ outcome: "completed" });
    // Of the cut answer there is what had been flushed, here nothing.
    expect((await storedMessages("lost-2")).map(textOf)).toEqual(["one", "two", "answer 2"]);
  });

  it("survives hibernation between turns with everything in place", async () => {
    const { evictDurableObject } = await import("cloudflare:test");
    setUp("lost-3", "a");
    const socket = await ChatSocket.open("lost-3");
    socket.ask("r1", "one");
    await socket.ended("r1");
    await conversation("lost-3").configure({ tier: 1 });
    await evictDurableObject(conversation("lost-3"));
    socket.ask("r2", "two");
    expect(await socket.ended("r2")).toMatchObject({ outcome: "completed" });
    expect((await storedMessages("lost-3")).map(textOf)).toEqual(["one", "a", "two", "a"]);
    expect(await conversation("lost-3").getConfig()).toEqual({ tier: 1 });
  });
});

describe("a buffer that fails", () => {
  it("does not touch the turn, and a late reader still gets the stream from memory", async () => {
    const held = gate();
    const setup = setUp("fault-1", "a", held.passed, "b");
    setup.buffer = (real) => ({ ...bind(real), append: () => Promise.reject(new Error("disk full")) });
    const first = await ChatSocket.open("fault-1");
    first.ask("r1", "hi");
    await first.chunk("r1", 3);
    await scheduler.wait(300);
    const late = await ChatSocket.open("fault-1");
    await ack(late, "r1");
    await caughtUp(late, "r1");
    held.open();
    expect(await first.ended("r1")).toMatchObject({ outcome: "completed" });
    await late.ended("r1");
    expect(textOf(late.folded("r1"))).toBe("ab");
    expect((await storedMessages("fault-1")).map(textOf)).toEqual(["hi", "ab"]);
  });

  it("does not hold a turn for ever that never answers", { timeout: 60_000 }, async () => {
    const setup = setUp("fault-4", "fine");
    setup.buffer = (real) => ({ ...bind(real), append: () => never });
    const socket = await ChatSocket.open("fault-4");
    socket.ask("r1", "hi");
    expect(await socket.ended("r1")).toMatchObject({ outcome: "completed" });
    expect((await storedMessages("fault-4")).map(textOf)).toEqual(["hi", "fine"]);
  });

  it("replays the message itself when the stored chunks cannot be read", async () => {
    const setup = setUp("fault-2", "all of it");
    const first = await ChatSocket.open("fault-2");
    first.ask("r1", "hi");
    await first.ended("r1");
    setup.buffer = (real) => ({ ...bind(real), read: () => Promise.reject(new Error("gone")) });
    first.send({ type: "cf_agent_stream_resume_ack", id: "r1" });
    await first.until((frame) => frame.type === "cf_agent_use_chat_response" && frame.done && frame.replay === true);
    const replayed = first.responses("r1").filter((frame) => frame.replay === true);
    expect(replayed.some((frame) => frame.body.includes("all of it"))).toBe(true);
  });

  it("says which line to add when the class is not exported, and answers all the same", async () => {
    const setup = setUp("fault-3", "fine");
    const { facet } = await import("../../src/shared/platform/facet.ts");
    const { runInDurableObject } = await import("cloudflare:test");
    const message = await runInDurableObject(conversation("fault-3"), (_, state) => {
      try {
        facet(state, "NotExported");
        return "";
      } catch (error) {
        return (error as Error).message;
      }
    });
    expect(message).toContain('export { NotExported } from "troupe";');
    setup.buffer = () => {
      throw new Error(message);
    };
    const socket = await ChatSocket.open("fault-3");
    for (const id of ["r1", "r2"]) {
      socket.ask(id, "hi");
      expect(await socket.ended(id)).toMatchObject({ outcome: "completed" });
    }
    expect((await storedMessages("fault-3")).map(textOf)).toEqual(["hi", "fine", "hi", "fine"]);
  });
});

/** Tells whether the buffer has stored a chunk with this text in it. To be asked: a promise kept by the object would die with it. */
function watchStored(setup: Stage, needle: string): () => boolean {
  let isStored = false;
  setup.buffer = (real) => ({
    ...bind(real),
    append: async (request) => {
      const result = await real.append(request);
      isStored ||= JSON.stringify(request.entries).includes(needle);
      return result;
    },
  });
  return () => isStored;
}

/** A stub's methods as own properties, so that one of them can be replaced. */
function bind<T extends object>(stub: T): T {
  const verbs = ["append", "read", "finish", "fail", "drop", "sweep"] as (keyof T)[];
  return Object.fromEntries(
    verbs.map((verb) => [verb, (...args: unknown[]) => (stub[verb] as (...args: unknown[]) => unknown)(...args)]),
  ) as T;
}
