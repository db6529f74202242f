/** The resume handshake, frame by frame: offers, probes, acknowledgements, and what is owed to whom. */
import { describe, expect, it } from "vitest";
import type { AppendResult, StreamBufferContract } from "../../src/index.ts";
import { applyChunk, emptyAssistant, startFold } from "../../src/shared/apply-chunk.ts";
import { stage } from "../harness/agents.ts";
import { ChatSocket, crash, storedMessages, textOf, userText } from "../harness/chat-socket.ts";
import { finish, gate, say, ScriptedModel, text, toolCall } from "../harness/scripted-model.ts";

const ACK = "cf_agent_stream_resume_ack";
const PROBE = "cf_agent_stream_resume_request";

const isReplayComplete = (frame: object) => "replayComplete" in frame && frame.replayComplete === true;

/** A buffer that gives nothing to read before `passed`, and tells the last seq it has stored. */
function watchedBuffer(real: StreamBufferContract, passed: Promise<void>, onStored: (seq: number) => void) {
  return new Proxy(real, {
    get: (target, verb: keyof StreamBufferContract) => async (request: never) => {
      if (verb === "read") await passed;
      const result = await (target[verb] as (request: never) => unknown)(request);
      if (verb === "append") onStored((result as AppendResult).lastSeq);
      return result;
    },
  });
}

/** A turn that was cut by a crash and whose recovery waits at the buffer until `open` is called. */
async function cutTurn(name: string): Promise<{ open: () => void }> {
  const setup = stage(name);
  const never = new Promise<never>(() => undefined);
  setup.configure = (self) => void (self.flushLimits = { ms: 1, bytes: 1_000_000, chunks: 1 });
  setup.model = new ScriptedModel((_, n) => (n === 0 ? say("half ", never) : say("whole")));
  const held = gate();
  const stored = { seq: 0 };
  setup.buffer = (real) => watchedBuffer(real, held.passed, (seq) => (stored.seq = seq));
  const socket = await ChatSocket.open(name);
  socket.ask("r1", "one");
  while (stored.seq < 4) await socket.settled();
  await crash(name);
  return held;
}

describe("an answer", () => {
  it("is the same message live, replayed from any seq, running or ended, and stored", async () => {
    const held = gate();
    stage("offer-2").configure = (self) => void (self.joinDeltasMs = 0);
    stage("offer-2").model = new ScriptedModel((_, n) =>
      n === 0
        ? [...text("let ", "me ", "look"), ...toolCall("c1", "nothing", {}), finish("tool-calls")]
        : say("I ", "found ", held.passed, "it"),
    );
    const live = await ChatSocket.open("offer-2");
    live.ask("r1", "hi");
    await live.until((frame) => "body" in frame && frame.body.includes("found "));
    const running = await ChatSocket.open("offer-2", { capabilities: "delta,cursor" });
    running.send({ type: ACK, id: "r1" });
    await running.until(isReplayComplete);
    held.open();
    await Promise.all([live.ended("r1"), running.ended("r1")]);
    const stored = (await storedMessages("offer-2"))[1];
    expect(live.folded("r1")).toEqual(stored);
    expect(running.folded("r1")).toEqual(stored);

    const seqs = live.responses("r1").flatMap(({ seq }) => seq ?? []);
    expect(seqs).toEqual(seqs.map((_, at) => at + 1));
    const late = await ChatSocket.open("offer-2", { capabilities: "delta,cursor" });
    for (const after of [0, ...seqs]) {
      late.frames.length = 0;
      late.send({ type: ACK, id: "r1", after });
      await late.ended("r1");
      const known = live.chunks("r1").slice(0, after);
      const fold = startFold(emptyAssistant(stored?.id ?? ""));
      expect([...known, ...late.chunks("r1")].reduce(applyChunk, fold).message, `after ${after}`).toEqual(stored);
    }
  });
});

describe("a probe", () => {
  it("is told the ends of its own requests first, then which are unknown, and those may be sent again", async () => {
    const model = new ScriptedModel(() => say("ok"));
    stage("probe-1").model = model;
    const first = await ChatSocket.open("probe-1");
    first.ask("r1", "one");
    await first.ended("r1");
    const second = await ChatSocket.open("probe-1");
    await second.until((frame) => frame.type === "cf_agent_chat_messages");
    second.frames.length = 0;
    second.send({ type: PROBE, probeId: "p", requests: ["r1", "r2"] });
    await second.until((frame) => "probeId" in frame && frame.probeId === "p");
    expect(second.frames).toEqual([
      expect.objectContaining({ type: "cf_agent_use_chat_response", id: "r1", done: true, outcome: "completed" }),
      { type: "cf_agent_stream_resume_none", reason: "idle", probeId: "p", unknown: ["r2"] },
    ]);
    for (let i = 0; i < 2; i++) second.ask("r2", [userText("r2-user", "two")]);
    expect(await second.ended("r2")).toMatchObject({ outcome: "completed" });
    await second.settled();
    expect(model.calls).toHaveLength(2);
    expect((await storedMessages("probe-1")).map(textOf)).toEqual(["one", "ok", "two", "ok"]);
  });

  it("that is told pending is offered the stream as soon as one starts", async () => {
    const { open } = await cutTurn("probe-2");
    const socket = await ChatSocket.open("probe-2");
    socket.send({ type: PROBE, probeId: "p" });
    const pending = await socket.until((frame) => "probeId" in frame && frame.probeId === "p");
    expect(pending).toMatchObject({ type: "cf_agent_stream_pending", id: "r1" });
    socket.ask("r2", "two");
    open();
    expect(await socket.ended("r1")).toMatchObject({ error: true, code: "interrupted", retryable: true });
    expect(await socket.until((frame) => frame.type === "cf_agent_stream_resuming")).toMatchObject({ id: "r2" });
    socket.send({ type: ACK, id: "r2" });
    expect(await socket.ended("r2")).toMatchObject({ outcome: "completed" });
    expect(textOf(socket.folded("r2"))).toBe("whole");
    expect((await storedMessages("probe-2")).map(textOf)).toEqual(["one", "half ", "two", "whole"]);
  });

  it("that is told pending is told the end and that nothing runs when no stream comes", async () => {
    const { open } = await cutTurn("probe-3");
    const socket = await ChatSocket.open("probe-3");
    socket.send({ type: PROBE, probeId: "p" });
    await socket.until((frame) => frame.type === "cf_agent_stream_pending");
    open();
    expect(await socket.ended("r1")).toMatchObject({ error: true, code: "interrupted" });
    expect(await socket.until((frame) => frame.type === "cf_agent_stream_resume_none")).toMatchObject({
      reason: "idle",
    });
  });
});

describe("an acknowledgement behind a second probe", () => {
  it("begins the replay again, and the one before it says no more", async () => {
    const [held, read] = [gate(), gate()];
    const stored = { seq: 0 };
    stage("again-1").configure = (self) => void (self.flushLimits = { ms: 1, bytes: 1_000_000, chunks: 1 });
    stage("again-1").model = new ScriptedModel(() => say("half ", held.passed, "whole"));
    stage("again-1").buffer = (real) => watchedBuffer(real, read.passed, (seq) => (stored.seq = seq));
    const asking = await ChatSocket.open("again-1");
    asking.ask("r1", "hi");
    while (stored.seq < 4) await asking.settled();
    const socket = await ChatSocket.open("again-1", { capabilities: "delta,cursor" });
    socket.send({ type: ACK, id: "r1", after: 2 });
    await socket.settled();
    socket.send({ type: ACK, id: "r1" });
    socket.send("ping");
    await socket.foreignCount(1, (text) => text === "echo ping");
    read.open();
    await socket.until(isReplayComplete);
    held.open();
    await socket.ended("r1");
    const seqs = socket.responses("r1").flatMap(({ seq }) => seq ?? []);
    expect(seqs).toEqual(seqs.map((_, at) => at + 1));
    expect(socket.frames.filter(isReplayComplete)).toHaveLength(1);
  });
});

describe("the end of a turn", () => {
  it("comes right behind the changed transcript, to each socket in the form it understands", async () => {
    const socket = await ChatSocket.open("order-1", { capabilities: "delta,cursor" });
    const stock = await ChatSocket.open("order-1");
    socket.ask("r1", "hi");
    await Promise.all([socket.ended("r1"), stock.ended("r1")]);
    const stored = await storedMessages("order-1");
    expect(socket.frames.slice(-2)).toEqual([
      { type: "cf_agent_chat_tail", after: "r1-user", messages: stored.slice(1), first: "r1-user" },
      expect.objectContaining({ id: "r1", done: true }),
    ]);
    expect(stock.frames.slice(-2)).toEqual([
      { type: "cf_agent_chat_messages", messages: stored },
      expect.objectContaining({ id: "r1", done: true }),
    ]);
    expect(stock.of("cf_agent_chat_tail")).toEqual([]);
    expect(socket.of("cf_agent_chat_messages")).toEqual([
      { type: "cf_agent_chat_messages", connect: true, messages: [], hasMore: false },
    ]);
  });

  it("names the first message that is left when older ones went", async () => {
    stage("order-2").configure = (self) => void (self.maxPersistedMessages = 2);
    const socket = await ChatSocket.open("order-2", { capabilities: "delta" });
    for (const id of ["r1", "r2", "r3"]) {
      socket.ask(id, id);
      await socket.ended(id);
    }
    expect(socket.of("cf_agent_chat_tail").at(-1)).toMatchObject({ after: "r3-user", first: "r3-user" });
    expect((await storedMessages("order-2")).map(textOf)).toEqual(["r3", "ok"]);
  });
});
