/** What a reader that comes back is told when the buffer cannot tell the stream, or the turn is gone. */
import { describe, expect, it } from "vitest";
import type { StreamBufferContract } from "../../src/actors/stream-buffer/contract.ts";
import { type Stage, stage } from "../harness/agents.ts";
import { ChatSocket, storedMessages, textOf } from "../harness/chat-socket.ts";
import { gate, say, ScriptedModel } from "../harness/scripted-model.ts";

/** A conversation that stores every chunk at once and stands still at the gate. */
function setUp(name: string, ...deltas: (string | Promise<unknown>)[]): Stage {
  const setup = stage(name);
  setup.configure = (self) => {
    self.joinDeltasMs = 0;
    self.flushLimits = { ms: 1, bytes: 1_000_000, chunks: 2 };
  };
  setup.model = new ScriptedModel(() => say(...deltas));
  return setup;
}

/** The buffer with some verbs replaced. */
function withVerbs(real: StreamBufferContract, own: Partial<StreamBufferContract>): StreamBufferContract {
  return {
    append: (request) => real.append(request),
    read: (request) => real.read(request),
    finish: (streamId, atMs) => real.finish(streamId, atMs),
    fail: (streamId, message, atMs) => real.fail(streamId, message, atMs),
    drop: (streamIds) => real.drop(streamIds),
    sweep: (beforeMs) => real.sweep(beforeMs),
    ...own,
  };
}

const broken = (): Promise<never> => Promise.reject(new Error("broken"));

async function asked(name: string, text: string): Promise<ChatSocket> {
  const socket = await ChatSocket.open(name, { capabilities: "delta,cursor" });
  socket.ask("r1", "hi");
  await socket.until((frame) => frame.type === "cf_agent_use_chat_response" && frame.body.includes(text));
  return socket;
}

async function offered(name: string): Promise<ChatSocket> {
  const socket = await ChatSocket.open(name, { capabilities: "delta,cursor" });
  await socket.until((frame) => frame.type === "cf_agent_stream_resuming");
  return socket;
}

const seqs = (socket: ChatSocket): number[] => socket.responses("r1").flatMap(({ seq }) => seq ?? []);

describe("a stream that cannot be read", () => {
  it("is replayed from the message with growing seqs, and goes on live in the open part", async () => {
    const held = gate();
    const setup = setUp("replay-1", "one ", "two ", "three ", held.passed, "four");
    const first = await asked("replay-1", "three");
    await scheduler.wait(20);
    setup.buffer = (real) => withVerbs(real, { read: broken });
    const late = await offered("replay-1");
    late.send({ type: "cf_agent_stream_resume_ack", id: "r1", after: 0 });
    await late.until((frame) => frame.type === "cf_agent_use_chat_response" && frame.replayComplete === true);
    held.open();
    await late.ended("r1");
    expect(textOf(late.folded("r1"))).toBe("one two three four");
    expect(late.folded("r1")).toEqual(first.folded("r1"));
    expect(seqs(late)).toEqual([...new Set(seqs(late))].toSorted((a, b) => a - b));
    expect(seqs(late).at(-1)).toBe(seqs(first).at(-1));
  });

  it("is offered again from the start to a reader whose beginning cannot be continued", async () => {
    const held = gate();
    const setup = setUp("replay-2", "one ", "two ", held.passed, "three");
    await asked("replay-2", "two");
    await scheduler.wait(20);
    setup.buffer = (real) => withVerbs(real, { read: broken });
    const late = await offered("replay-2");
    late.send({ type: "cf_agent_stream_resume_ack", id: "r1", after: 2 });
    const again = await late.until((frame) => frame.type === "cf_agent_stream_resuming" && frame.lastSeq === 0);
    expect(again).toMatchObject({ id: "r1" });
    expect(late.chunks("r1")).toEqual([]);
    late.send({ type: "cf_agent_stream_resume_ack", id: "r1", after: 0 });
    held.open();
    await late.ended("r1");
    expect(textOf(late.folded("r1"))).toBe("one two three");
  });

  it("is replayed whole after its end, when the buffer has only its beginning", async () => {
    let appends = 0;
    const setup = setUp("replay-3", "one ", "two ", "three");
    setup.buffer = (real) =>
      withVerbs(real, { append: (request) => (appends++ === 0 ? real.append(request) : broken()) });
    const first = await ChatSocket.open("replay-3");
    first.ask("r1", "hi");
    await first.ended("r1");
    const late = await ChatSocket.open("replay-3");
    late.send({ type: "cf_agent_stream_resume_ack", id: "r1" });
    await late.ended("r1");
    expect(textOf(late.folded("r1"))).toBe("one two three");
  });
});

describe("a replay and a clear", () => {
  it("tells nothing more of the turn behind its end", async () => {
    const held = gate();
    const reading = gate();
    const setup = setUp("replay-4", "one ", "two ", held.passed);
    const first = await asked("replay-4", "two");
    await scheduler.wait(20);
    setup.buffer = (real) =>
      withVerbs(real, {
        read: async (request) => {
          const page = await real.read(request);
          await reading.passed;
          return page;
        },
      });
    const late = await offered("replay-4");
    late.send({ type: "cf_agent_stream_resume_ack", id: "r1", after: 0 });
    await late.settled();
    first.clear();
    await late.until((frame) => frame.type === "cf_agent_chat_clear");
    reading.open();
    await scheduler.wait(20);
    await late.settled();
    expect(late.responses("r1").map(({ done, outcome }) => [done, outcome])).toEqual([[true, "aborted"]]);
    held.open();
    expect(await storedMessages("replay-4")).toEqual([]);
  });
});

describe("the tail that clients with deltas get", () => {
  it("keeps older history when a request is cancelled in line and the window is small", async () => {
    const held = gate();
    const setup = setUp("tail-1", "x".repeat(2_000));
    setup.configure = (self) => (self.contextBytes = 3_000);
    const socket = await ChatSocket.open("tail-1", { capabilities: "delta,cursor" });
    for (const id of ["r1", "r2", "r3"]) {
      socket.ask(id, id);
      await socket.ended(id);
    }
    setup.model = new ScriptedModel(() => say("held", held.passed));
    socket.ask("r4", "r4");
    await socket.chunk("r4");
    socket.ask("r5", "r5");
    socket.cancel("r5");
    await socket.ended("r5");
    held.open();
    await socket.ended("r4");
    expect(socket.of("cf_agent_chat_tail").filter(({ after }) => after === null)).toHaveLength(1);
  });

  it("stands behind the old head when a message larger than the window comes", async () => {
    const setup = setUp("tail-2", "fine");
    setup.configure = (self) => (self.contextBytes = 1_000);
    const socket = await ChatSocket.open("tail-2", { capabilities: "delta,cursor" });
    socket.ask("r1", "small");
    await socket.ended("r1");
    socket.ask("r2", "y".repeat(5_000));
    await socket.ended("r2");
    expect(socket.of("cf_agent_chat_tail").filter(({ after }) => after === null)).toHaveLength(1);
  });
});
