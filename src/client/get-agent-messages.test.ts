import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { getAgentMessages } from "./get-agent-messages.ts";

let stop = () => {};
afterEach(() => stop());

/** A server on this machine, and what was asked of it. */
async function serve(answer: RequestListener): Promise<{ host: string; asked: string[]; warnings: unknown[][] }> {
  const asked: string[] = [];
  const warnings: unknown[][] = [];
  const warn = vi.spyOn(console, "warn").mockImplementation((...args) => void warnings.push(args));
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ""}`.trim());
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stop = () => {
    server.close();
    warn.mockRestore();
  };
  return { host: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, warnings };
}

const messages = [{ id: "u1", role: "user", parts: [{ type: "text", text: "Hi" }] }];

describe("getAgentMessages", () => {
  it("F168: reads the messages of a conversation, with the caller's headers", async () => {
    const { host, asked } = await serve((_, response) => response.end(JSON.stringify(messages)));
    const headers = { authorization: "Bearer t" };
    expect(await getAgentMessages({ host: `${host}/`, agent: "ChatAgent", name: "a b", headers })).toEqual(messages);
    expect(asked).toEqual(["GET /agents/chat-agent/a%20b/get-messages Bearer t"]);
  });

  it.each([
    ["Assistant", "assistant"],
    ["chat-agent", "chat-agent"],
    ["MyAIAgent", "my-a-i-agent"],
    ["CHAT_AGENT", "chat-agent"],
    ["chatAgent2Go", "chat-agent2-go"],
    ["Agent_", "agent"],
  ])("finds the agent %s at %s, as the Agents SDK does", async (agent, path) => {
    const { host, asked } = await serve((_, response) => response.end("[]"));
    await getAgentMessages({ host, agent, name: "n" });
    expect(asked).toEqual([`GET /agents/${path}/n/get-messages`]);
  });

  it("takes a URL of the caller's own", async () => {
    const { host, asked } = await serve((_, response) => response.end(JSON.stringify(messages)));
    expect(await getAgentMessages({ url: `${host}/chat/get-messages?x=1` })).toEqual(messages);
    expect(asked).toEqual(["GET /chat/get-messages?x=1"]);
  });

  it.each([404, 500])("warns of HTTP %i and gives no messages", async (status) => {
    const { host, warnings } = await serve((_, response) => response.writeHead(status).end("[1]"));
    expect(await getAgentMessages({ host, agent: "A", name: "n" })).toEqual([]);
    expect(warnings).toEqual([[`Reading messages failed with HTTP ${status}.`]]);
  });

  it.each(["", " \n"])("takes the empty body %j for no messages, without a warning", async (body) => {
    const { host, warnings } = await serve((_, response) => response.end(body));
    expect(await getAgentMessages({ host, agent: "A", name: "n" })).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it("warns of a body that is not JSON and gives no messages; JSON that is no list gives none either", async () => {
    const broken = await serve((_, response) => response.end('[{"id":'));
    expect(await getAgentMessages({ host: broken.host, agent: "A", name: "n" })).toEqual([]);
    expect(broken.warnings).toHaveLength(1);
    stop();
    const other = await serve((_, response) => response.end('{"error":1}'));
    expect(await getAgentMessages({ host: other.host, agent: "A", name: "n" })).toEqual([]);
  });
});
