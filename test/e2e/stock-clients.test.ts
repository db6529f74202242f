/** Clients of the published packages, unchanged, in a real browser on the real Worker. */
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalServer, openChromium, startWrangler } from "./harness.ts";
import { HeldProvider } from "./held-provider.ts";

let server: LocalServer;
let provider: HeldProvider;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  await build({
    configFile: false,
    logLevel: "error",
    root: join(import.meta.dirname, "stock"),
    build: { outDir: join(import.meta.dirname, "../../dist/stock"), emptyOutDir: true },
  });
  provider = await HeldProvider.start();
  server = await startWrangler({ config: "test/e2e/stock/wrangler.jsonc", vars: provider.vars });
  browser = await openChromium();
  context = await browser.newContext();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await provider?.stop();
});

async function open(client: "agent" | "http", name: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${server.url}/?client=${client}&name=${name}`);
  await page.getByRole("textbox").waitFor();
  return page;
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox").fill(text);
  await page.getByRole("textbox").press("Enter");
}

const shows = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();
const list = (page: Page) => page.getByRole("listitem").allInnerTexts();
const isReady = (page: Page) => page.locator("output", { hasText: "ready" }).waitFor();

describe("the hook of the Agents SDK, unchanged", () => {
  it("sends, streams and shows a second tab the same", async () => {
    const first = await open("agent", "stock-1");
    const second = await open("agent", "stock-1");
    await send(first, "hello");
    const answer = await provider.next();
    answer.say("one ");
    await shows(first, "assistant: one");
    await shows(second, "assistant: one");
    answer.say("two");
    answer.end();
    await shows(first, "assistant: one two");
    await isReady(first);
    expect(await list(second)).toEqual(["user: hello", "assistant: one two"]);
    await Promise.all([first.close(), second.close()]);
  });

  it("goes on after a reload in mid-answer, and finds it all afterwards", async () => {
    const page = await open("agent", "stock-2");
    await send(page, "hello");
    const answer = await provider.next();
    answer.say("before ");
    await shows(page, "assistant: before");
    await page.reload();
    await shows(page, "assistant: before");
    answer.say("after");
    answer.end();
    await shows(page, "assistant: before after");
    await isReady(page);
    await page.reload();
    await shows(page, "assistant: before after");
    expect(await list(page)).toEqual(["user: hello", "assistant: before after"]);
    await page.close();
  });

  it("stops and clears in every tab", async () => {
    const first = await open("agent", "stock-3");
    const second = await open("agent", "stock-3");
    await send(first, "hello");
    const answer = await provider.next();
    answer.say("half");
    await shows(second, "assistant: half");
    await first.getByRole("button", { name: "Stop" }).click();
    await answer.cancelled;
    await isReady(first);
    await shows(second, "assistant: half");
    await first.getByRole("button", { name: "Clear" }).click();
    await second.getByRole("listitem").first().waitFor({ state: "detached" });
    expect(await list(first)).toEqual([]);
    await Promise.all([first.close(), second.close()]);
  });
});

describe("useChat of the AI SDK over HTTP, unchanged", () => {
  it("sends, streams, and resumes after a reload in mid-answer", async () => {
    const page = await open("http", "stock-4");
    await send(page, "hello");
    const answer = await provider.next();
    answer.say("one ");
    await shows(page, "assistant: one");
    await page.reload();
    await shows(page, "assistant: one");
    answer.say("two");
    answer.end();
    await shows(page, "assistant: one two");
    await isReady(page);
    await page.close();
  });

  it("shows the same turn as a socket does", async () => {
    const http = await open("http", "stock-5");
    const socket = await open("agent", "stock-5");
    await send(http, "hello");
    const answer = await provider.next();
    answer.say("same");
    answer.end();
    await shows(http, "assistant: same");
    await shows(socket, "assistant: same");
    expect(await list(socket)).toEqual(await list(http));
    await Promise.all([http.close(), socket.close()]);
  });
});
