import { describe, expect, it } from "vitest";
import { messagesUrl } from "./agent-chat.ts";
import { type AgentConnection, agentSocket, httpUrlOf } from "./agent-socket.ts";

/** A connection without a network. */
function held(readyState: number) {
  const events = new EventTarget();
  const sent: string[] = [];
  const agent: AgentConnection & { readyState: number } = {
    agent: "assistant",
    name: "n",
    readyState,
    send: (data) => sent.push(data),
    addEventListener: (type, listener) => events.addEventListener(type, listener as EventListener),
    removeEventListener: (type, listener) => events.removeEventListener(type, listener as EventListener),
  };
  return { agent, sent, events };
}

describe("httpUrlOf", () => {
  it.each([
    ["ws://127.0.0.1:8787/agents/assistant/a", "http://127.0.0.1:8787/agents/assistant/a"],
    [
      "wss://example.com/agents/inbox/me/sub/chat/a%20b?token=ws",
      "https://example.com/agents/inbox/me/sub/chat/a%20b?token=ws",
    ],
    ["", ""],
    [null, ""],
    [undefined, ""],
  ])("F182: is for the socket's address %s the address %s", (url, expected) => {
    expect(httpUrlOf(url === undefined ? {} : { url })).toBe(expected);
  });

  it("F182: is the agent's own word where it has one", () => {
    expect(httpUrlOf({ url: "wss://example.com/a", getHttpUrl: () => "" })).toBe("");
    expect(httpUrlOf({ getHttpUrl: () => "https://example.com/b" })).toBe("https://example.com/b");
  });
});

describe("messagesUrl", () => {
  it.each([
    [
      "https://example.com/agents/inbox/me/sub/chat/a?token=1",
      "https://example.com/agents/inbox/me/sub/chat/a/get-messages?token=1",
    ],
    ["http://localhost/chat/", "http://localhost/chat/get-messages"],
    ["", ""],
  ])("stands below %s, before its query", (httpUrl, expected) => expect(messagesUrl(httpUrl)).toBe(expected));
});

describe("agentSocket", () => {
  it("opens at once on a connection that is open, and not when it was closed before", async () => {
    const { agent } = held(1);
    const heard: string[] = [];
    agentSocket(agent).addEventListener("open", () => heard.push("open"));
    const gone = agentSocket(agent);
    gone.addEventListener("open", () => heard.push("never"));
    gone.close();
    await Promise.resolve();
    expect(heard).toEqual(["open"]);
  });

  it("sends only while the connection is open: the client knows what is due", () => {
    const { agent, sent } = held(0);
    const socket = agentSocket(agent);
    socket.send("lost");
    agent.readyState = 1;
    socket.send("kept");
    expect(sent).toEqual(["kept"]);
  });

  it("has the agent make another connection, unless that was closed for good", () => {
    const { agent } = held(1);
    let count = 0;
    const reconnect = () => void count++;
    agentSocket(agent).reconnect?.();
    agentSocket({ ...agent, reconnect, shouldReconnect: false }).reconnect?.();
    expect(count).toBe(0);
    agentSocket({ ...agent, reconnect, shouldReconnect: true }).reconnect?.();
    agentSocket({ ...agent, reconnect }).reconnect?.();
    expect(count).toBe(2);
  });

  it("hears nothing any more after it was closed, and the connection goes on", () => {
    const { agent, events, sent } = held(1);
    const heard: string[] = [];
    const socket = agentSocket(agent);
    socket.addEventListener("message", () => heard.push("message"));
    events.dispatchEvent(new Event("message"));
    socket.close();
    events.dispatchEvent(new Event("message"));
    agent.send("still open");
    expect([heard, sent]).toEqual([["message"], ["still open"]]);
  });
});
