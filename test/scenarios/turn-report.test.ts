import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { stage } from "../harness/agents.ts";
import { ChatSocket, conversation } from "../harness/chat-socket.ts";
import { countsOf, resetCounts } from "../harness/counters.ts";
import { gate, say, ScriptedModel } from "../harness/scripted-model.ts";

const inspect = async (name: string) => conversation(name).inspectTurn();

describe("the report of a turn", () => {
  it("is empty before the first turn and after a clear", async () => {
    stage("report-1").model = new ScriptedModel(() => say("hello"));
    expect(await inspect("report-1")).toBeNull();
    const socket = await ChatSocket.open("report-1");
    socket.ask("r1", "hi");
    await socket.ended("r1");
    expect(await inspect("report-1")).toMatchObject({ requestId: "r1", kind: "submit", state: "completed" });
    socket.send({ type: "cf_agent_chat_clear" });
    await socket.until((frame) => frame.type === "cf_agent_chat_clear");
    expect(await inspect("report-1")).toBeNull();
  });

  it("tells exactly what was broadcast and called, and no more rows than the storage counts", async () => {
    stage("report-2").model = new ScriptedModel(() => say("one ", "two"));
    const socket = await ChatSocket.open("report-2", { capabilities: "delta,cursor" });
    await socket.until((frame) => frame.type === "cf_agent_chat_messages");
    const before = socket.frames.length;
    resetCounts("conversation:report-2");
    socket.ask("r1", "hi");
    await socket.ended("r1");
    const report = await inspect("report-2");
    const received = socket.frames.slice(before).map((frame) => JSON.stringify(frame));
    expect(report?.frames).toBe(received.length);
    expect(report?.frameBytes).toBe(received.join("").length);
    expect(report?.chunks).toBe(socket.responses("r1").filter((frame) => !frame.done).length);
    expect(report?.actorCalls).toEqual(stage("report-2").calls);
    const counted = countsOf("conversation:report-2");
    expect(report?.rowsWritten).toBeGreaterThan(3);
    expect(report?.rowsWritten).toBeLessThanOrEqual(counted.rowsWritten);
    expect(report?.statements).toBeLessThanOrEqual(counted.statements);
  });

  it("tells of a turn that runs what it has cost so far, and of one that failed why", async () => {
    const held = gate();
    stage("report-3").model = new ScriptedModel(() => say("one ", held.passed, new Error("secret")));
    const socket = await ChatSocket.open("report-3");
    socket.ask("r1", "hi");
    await socket.chunk("r1", 3);
    expect(await inspect("report-3")).toMatchObject({ state: "running", endedAtMs: null, attempts: 1 });
    held.open();
    await socket.ended("r1");
    const report = await inspect("report-3");
    expect(report).toMatchObject({ state: "failed", error: { code: "internal", retryable: true } });
    expect(JSON.stringify(report)).not.toContain("secret");
  });

  it("does not count for one turn what was done between turns", async () => {
    stage("report-4").model = new ScriptedModel(() => say("hello"));
    const socket = await ChatSocket.open("report-4");
    for (const id of ["r1", "r2"]) {
      socket.ask(id, "hi");
      await socket.ended(id);
      await runInDurableObject(conversation("report-4"), (self) => self.getMessages());
    }
    const { rowsWritten } = (await inspect("report-4")) ?? {};
    socket.ask("r3", "hi");
    await socket.ended("r3");
    expect((await inspect("report-4"))?.rowsWritten).toBe(rowsWritten);
  });
});
