import { describe, expect, it } from "vitest";
import { stage } from "../harness/agents.ts";
import { ChatSocket, http, storedMessages, textOf } from "../harness/chat-socket.ts";
import { gate, say, ScriptedModel } from "../harness/scripted-model.ts";

describe("a plain turn", () => {
  it("streams an answer, stores it and ends once", async () => {
    stage("plain-1").model = new ScriptedModel(() => say("Hello", ", ", "world"));
    const socket = await ChatSocket.open("plain-1");
    socket.ask("r1", "hi");
    const end = await socket.ended("r1");
    expect(end).toMatchObject({ body: "", outcome: "completed", messageIds: ["r1-user"] });
    const stored = await storedMessages("plain-1");
    expect(stored.map((message) => [message.role, textOf(message)])).toEqual([
      ["user", "hi"],
      ["assistant", "Hello, world"],
    ]);
    expect(socket.folded("r1")).toEqual(stored[1]);
    expect(await (await http("plain-1", "/get-messages")).json()).toEqual(stored);
    expect(socket.responses("r1").filter((frame) => frame.done)).toHaveLength(1);
  });

  it("shows a second socket the same", async () => {
    const held = gate();
    stage("plain-2").model = new ScriptedModel(() => say("one ", held.passed, "two"));
    const first = await ChatSocket.open("plain-2");
    first.ask("r1", "hi");
    await first.chunk("r1", 3);
    const second = await ChatSocket.open("plain-2", { capabilities: "delta,cursor" });
    const offer = await second.until((frame) => frame.type === "cf_agent_stream_resuming");
    expect(offer).toMatchObject({ id: "r1" });
    second.send({ type: "cf_agent_stream_resume_ack", id: "r1" });
    await second.until((frame) => frame.type === "cf_agent_use_chat_response" && frame.replayComplete === true);
    held.open();
    await second.ended("r1");
    await first.ended("r1");
    expect(second.folded("r1")).toEqual(first.folded("r1"));
    expect(textOf(second.folded("r1"))).toBe("one two");
  });
});
