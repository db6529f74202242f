import { describe, expect, it } from "vitest";
import { stage } from "../harness/agents.ts";
import { ChatSocket } from "../harness/chat-socket.ts";
import { say, ScriptedModel } from "../harness/scripted-model.ts";

const note = "(the file without a name cannot be read)";

const files: [string, { mediaType: string; url: string }, boolean][] = [
  ["is no base64", { mediaType: "image/png", url: "data:image/png;base64,%%%not base64" }, false],
  ["is base64 that was cut", { mediaType: "image/png", url: "data:image/png;base64,abcde" }, false],
  ["has no comma and is dropped where it comes in", { mediaType: "image/png", url: "data:image/png" }, true],
  ["is encoded with percent signs", { mediaType: "text/plain", url: "data:,hello%20world" }, false],
  ["is markup as it is", { mediaType: "image/svg+xml", url: "data:image/svg+xml;utf8,<svg/>" }, false],
  ["is base64", { mediaType: "image/png", url: "data:image/png;base64,AAAA" }, true],
  ["is base64 for URLs", { mediaType: "image/png", url: "data:image/png;base64,-_-_" }, true],
  ["is empty", { mediaType: "image/png", url: "data:image/png;base64," }, true],
  ["has an odd type", { mediaType: "what ever", url: "data:what ever;base64,AAAA" }, true],
  ["has an empty type", { mediaType: "", url: "data:;base64,AAAA" }, true],
  ["is at an address", { mediaType: "image/png", url: "https://example.com/a.png" }, true],
  ["is at a broken address", { mediaType: "image/png", url: "https://" }, true],
];

describe("a posted file that", () => {
  it.each(files)("%s fails neither its turn nor the next", async (name, file, isReadable) => {
    const key = `files-${name.replaceAll(" ", "-")}`;
    const model = new ScriptedModel(() => say("ok"));
    stage(key).model = model;
    const socket = await ChatSocket.open(key);
    const parts = [
      { type: "text", text: "hi" },
      { type: "file", ...file },
    ];
    const body = JSON.stringify({ messages: [{ id: "u1", role: "user", parts }] });
    socket.send({ type: "cf_agent_use_chat_request", id: "r1", init: { method: "POST", body } });
    expect(await socket.ended("r1")).toMatchObject({ outcome: "completed" });
    socket.ask("r2", "and now");
    expect(await socket.ended("r2")).toMatchObject({ outcome: "completed" });
    expect(JSON.stringify(model.calls[1]?.prompt).includes(note)).toBe(!isReadable);
  });
});
