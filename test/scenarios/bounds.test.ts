import { describe, expect, it } from "vitest";
import { MAX_WAITING } from "../../src/actors/conversation/turn/admission.ts";
import { stage } from "../harness/agents.ts";
import { ChatSocket, http, storedMessages } from "../harness/chat-socket.ts";
import { gate, say, ScriptedModel } from "../harness/scripted-model.ts";

describe("bounds", () => {
  it("refuses requests beyond the length of the line, loses none of the others, and takes more later", async () => {
    const held = gate();
    stage("bounds-1").model = new ScriptedModel((_, n) => (n === 0 ? say("a", held.passed) : say("b")));
    const socket = await ChatSocket.open("bounds-1", { capabilities: "delta,cursor" });
    for (let i = 0; i < MAX_WAITING + 3; i++) socket.ask(`r${i}`, `${i}`);
    const refused = await socket.ended(`r${MAX_WAITING + 2}`);
    expect(refused).toMatchObject({ error: true, code: "limit" });
    held.open();
    await socket.ended(`r${MAX_WAITING}`);
    socket.ask("later", "later");
    expect(await socket.ended("later")).toMatchObject({ outcome: "completed" });
    const users = (await storedMessages("bounds-1")).filter((message) => message.role === "user");
    expect(users.map((message) => message.id)).toEqual([
      ...Array.from({ length: MAX_WAITING + 1 }, (_, i) => `r${i}-user`),
      "later-user",
    ]);
  });

  it("streams the whole history as one JSON array, also an empty one", async () => {
    expect(await (await http("bounds-2", "/get-messages")).json()).toEqual([]);
    const socket = await ChatSocket.open("bounds-2");
    for (const id of ["r1", "r2"]) {
      socket.ask(id, id);
      await socket.ended(id);
    }
    const response = await http("bounds-2", "/get-messages");
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual(await storedMessages("bounds-2"));
  });
});
