/** The tools of the end-to-end tests, used once each. */
import type { UIMessage } from "ai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ChatClient } from "./chat-client.ts";
import { type LocalServer, openChromium, startWrangler } from "./harness.ts";
import { answerTo } from "./worker/script.ts";

const ask = { label: "hello", deltas: 4, paceMs: 0 };
const message: UIMessage = { id: "u1", role: "user", parts: [{ type: "text", text: JSON.stringify(ask) }] };

describe("wrangler dev", () => {
  let server: LocalServer;

  beforeAll(async () => {
    server = await startWrangler({ config: "test/e2e/worker/wrangler.jsonc" });
  });
  afterAll(async () => {
    await server.stop();
  });

  it("answers, and has the answer again after its runtime was killed", async () => {
    const client = await ChatClient.open(server.url, "harness");
    client.ask({ id: "q1", message });
    expect((await client.ended("q1")).outcome).toBe("completed");
    expect(client.text("q1")).toBe(answerTo(ask));
    server.killRuntime();
    await server.restart();
    const response = await fetch(`${server.url}/agents/assistant/harness/get-messages`);
    const messages = (await response.json()) as UIMessage[];
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("shows its answers to a real browser", async () => {
    const browser = await openChromium();
    try {
      const page = await browser.newPage();
      await page.goto(`${server.url}/anything`);
      expect(await page.textContent("body")).toBe("scripted assistant");
    } finally {
      await browser.close();
    }
  });
});
