/** Who may come in: `authorize`, origins and CORS, for every way into a conversation. */
import { describe, expect, it } from "vitest";
import type { Action, Who } from "../../src/index.ts";
import { stage } from "../harness/agents.ts";
import { ChatSocket, http, storedMessages, textOf, upgrade, userText } from "../harness/chat-socket.ts";
import { gate, say, ScriptedModel } from "../harness/scripted-model.ts";

const foreign = { origin: "https://other.test", cookie: "session=1" };

/** Refuses one action for sockets that are open, and remembers what was asked. */
function refuse(name: string, refused: Action, status: 401 | 403 = 403): { asked: [Action, Who][] } {
  const asked: [Action, Who][] = [];
  stage(name).authorize = (action, who) => {
    asked.push([action, who]);
    return action === refused
      ? { allow: false, status, reason: "Not you." }
      : { allow: true, principal: action === "connect" ? { user: "ada" } : undefined };
  };
  return { asked };
}

describe("authorize", () => {
  it.each([
    ["connect", 401, 4401],
    ["connect", 403, 4403],
    ["read", 401, 4401],
    ["read", 403, 4403],
  ] as const)("closes a socket that may not %s (%i) with %i, before anything is sent", async (action, status, code) => {
    refuse(`auth-${action}-${code}`, action, status);
    const socket = await ChatSocket.open(`auth-${action}-${code}`);
    await expect(socket.until(() => false)).rejects.toThrow(`closed with ${code}`);
    expect([...socket.frames, ...socket.foreign]).toEqual([]);
  });

  it("hears nothing from a socket that was refused, and tells it nothing while it decides", async () => {
    const held = gate();
    const verdict = gate();
    const asked = { connects: 0 };
    const setup = stage("auth-late");
    setup.model = new ScriptedModel(() => say("private", held.passed));
    const inside = await ChatSocket.open("auth-late");
    setup.authorize = async (action) => {
      if (action !== "connect") return { allow: true };
      asked.connects++;
      await verdict.passed;
      return { allow: false, status: 403 };
    };
    const opening = ChatSocket.open("auth-late");
    while (asked.connects === 0) await inside.settled();
    inside.ask("r1", "hi");
    await inside.chunk("r1", 4);
    verdict.open();
    const outside = await opening;
    outside.ask("r2", "let me in");
    outside.send("hello");
    await expect(outside.until(() => false)).rejects.toThrow("closed with 4403");
    held.open();
    await inside.ended("r1");
    await inside.settled();
    expect([...outside.frames, ...outside.foreign]).toEqual([]);
    expect((await storedMessages("auth-late")).map(textOf)).toEqual(["hi", "private"]);
    expect(setup.seen).toEqual(["connect"]);
  });

  it("refuses when it throws, in words that are safe, and may be asked again", async () => {
    stage("auth-throws").authorize = () => {
      throw new Error("the secret store is down");
    };
    const socket = await ChatSocket.open("auth-throws");
    await expect(socket.until(() => false)).rejects.toThrow("closed with 1011");
    expect([...socket.frames, ...socket.foreign]).toEqual([]);
    const response = await http("auth-throws", "/get-messages");
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      error: { code: "internal", message: "Something went wrong.", retryable: true },
    });
    stage("auth-throws").authorize = (action) =>
      action === "connect" || action === "read"
        ? { allow: true }
        : Promise.reject(new Error("the secret store is down"));
    const other = await ChatSocket.open("auth-throws");
    other.ask("r1", "hi");
    expect(await other.ended("r1")).toMatchObject({ error: true, code: "internal", retryable: true });
    other.clear();
    expect(await other.until((frame) => frame.type === "cf_agent_chat_error")).toMatchObject({ code: "internal" });
    expect(await storedMessages("auth-throws")).toEqual([]);
  });

  it.each<[Action, (socket: ChatSocket) => void]>([
    ["cancel", (socket) => socket.cancel("r1")],
    ["clear", (socket) => socket.clear()],
    ["tool-result", (socket) => socket.send({ type: "cf_agent_tool_result", toolCallId: "c", output: 1 })],
    ["tool-approval", (socket) => socket.send({ type: "cf_agent_tool_approval", toolCallId: "c", approved: true })],
    ["resume", (socket) => socket.send({ type: "cf_agent_stream_resume_request" })],
    ["resume", (socket) => socket.send({ type: "cf_agent_stream_resume_ack", id: "r1" })],
  ])("is asked for %s with the principal of the socket, and a refusal is an error frame", async (action, act) => {
    const name = `auth-${action}-${crypto.randomUUID()}`;
    const { asked } = refuse(name, action);
    const socket = await ChatSocket.open(name);
    act(socket);
    const answer = await socket.until((frame) => frame.type === "cf_agent_chat_error");
    expect(answer).toMatchObject({ code: "forbidden", message: "Not you." });
    expect(asked.at(-1)).toEqual([action, { request: null, principal: { user: "ada" } }]);
  });

  it("is asked for send, and a refusal ends the request and stores nothing", async () => {
    refuse("auth-send", "send", 401);
    const socket = await ChatSocket.open("auth-send");
    socket.ask("r1", "hi");
    expect(await socket.ended("r1")).toMatchObject({ error: true, code: "unauthorized", body: "Not you." });
    const response = await http("auth-send", "/chat", {
      method: "POST",
      body: JSON.stringify({ messages: [userText("u", "hi")] }),
    });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error: { code: "unauthorized", message: "Not you.", retryable: false } });
    expect(await storedMessages("auth-send")).toEqual([]);
  });

  it.each<[Action, string, RequestInit]>([
    ["read", "/get-messages", {}],
    ["resume", "/chat/x/stream", {}],
    ["cancel", "/chat/x/stream", { method: "DELETE" }],
    ["clear", "/chat", { method: "DELETE" }],
    ["child", "/sub/test-conversation/kid/get-messages", {}],
  ])("is asked for %s over HTTP with the request, and a refusal is its status", async (action, path, init) => {
    const name = `auth-http-${action}`;
    const { asked } = refuse(name, action);
    const response = await http(name, path, init);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { code: "forbidden" } });
    expect(asked.at(-1)?.[1].request?.url).toContain(path);
  });

  it("keeps the principal of a socket on the server: not in frames, not in messages", async () => {
    refuse("auth-private", "clear");
    const socket = await ChatSocket.open("auth-private");
    socket.ask("r1", "hi");
    await socket.ended("r1");
    expect(JSON.stringify([socket.frames, socket.foreign, await storedMessages("auth-private")])).not.toMatch(
      /\bada\b/,
    );
  });
});

describe("origins", () => {
  it("are checked when cookies come along, for sockets and HTTP, here and in children", async () => {
    expect((await upgrade("origin-1", { headers: foreign })).status).toBe(403);
    expect((await http("origin-1", "/get-messages", { headers: foreign })).status).toBe(403);
    const child = "/sub/test-conversation/kid";
    expect((await http("origin-1", child, { headers: { ...foreign, upgrade: "websocket" } })).status).toBe(403);
    expect((await http("origin-1", `${child}/get-messages`, { headers: foreign })).status).toBe(403);
    for (const headers of [
      { origin: foreign.origin },
      { cookie: foreign.cookie },
      { ...foreign, origin: "http://test.local" },
    ]) {
      expect((await http("origin-1", "/get-messages", { headers })).status).toBe(200);
      expect((await upgrade("origin-1", { headers })).status).toBe(101);
    }
  });

  it("that are listed get CORS headers and may bring cookies; with * they may not", async () => {
    stage("origin-2").configure = (self) => void (self.cors = { origins: [foreign.origin] });
    const listed = await http("origin-2", "/get-messages", { headers: foreign });
    expect(listed.status).toBe(200);
    expect(listed.headers.get("access-control-allow-origin")).toBe(foreign.origin);
    expect(listed.headers.get("access-control-allow-credentials")).toBe("true");
    const asks = { "access-control-request-method": "POST", "access-control-request-headers": "x-mine" };
    const preflight = await http("origin-2", "/chat", {
      method: "OPTIONS",
      headers: { ...asks, origin: foreign.origin },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toBe("x-mine");
    expect(preflight.headers.get("access-control-max-age")).toBe("86400");
    const other = await http("origin-2", "/chat", {
      method: "OPTIONS",
      headers: { ...asks, origin: "https://x.test" },
    });
    expect(other.status).toBe(403);
    expect(await other.text()).toContain("`cors.origins`");

    stage("origin-3").configure = (self) => void (self.cors = { origins: "*" });
    expect((await http("origin-3", "/get-messages", { headers: foreign })).status).toBe(403);
    const open = await http("origin-3", "/get-messages", { headers: { origin: foreign.origin } });
    expect(open.headers.get("access-control-allow-origin")).toBe("*");
    expect(open.headers.get("access-control-allow-credentials")).toBeNull();
  });
});
