/**
 * What tests of the page share: the built page on the real Worker, a model in
 * the test's hand, a browser, and the words for what people do and see.
 */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { build } from "vite";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { type LocalServer, openChromium, startWrangler } from "./harness.ts";
import { HeldProvider } from "./held-provider.ts";

export interface Stage {
  readonly server: () => LocalServer;
  readonly provider: () => HeldProvider;
  readonly browser: () => Browser;
  /** The browser context of the running test; its page errors fail the test. */
  readonly context: () => BrowserContext;
  /** The path of a conversation that nobody has opened yet. */
  readonly newPath: () => string;
  /** Opens a path and waits until it is connected. */
  readonly openTab: (path: string) => Promise<Page>;
  /** A context with options of its own, closed after the test. */
  readonly newContext: (options: BrowserContextOptions) => Promise<BrowserContext>;
}

/** Registers the hooks of a test file and gives access to what they make. `model` chooses who answers. */
export function stage(model: "held" | "demo" = "held"): Stage {
  let server: LocalServer;
  let provider: HeldProvider;
  let browser: Browser;
  let contexts: BrowserContext[] = [];
  let problems: string[] = [];
  let count = 0;
  const newContext = async (options: BrowserContextOptions) => {
    const context = await browser.newContext(options);
    context.on("weberror", (error) => problems.push(String(error.error())));
    contexts.push(context);
    return context;
  };
  beforeAll(async () => {
    await build({ logLevel: "error" });
    provider = await HeldProvider.start();
    server = await startWrangler({ config: "wrangler.jsonc", vars: model === "held" ? provider.vars : {} });
    browser = await openChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await provider?.stop();
  });
  beforeEach(async () => {
    problems = [];
    await newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
    expect(problems).toEqual([]);
  });
  return {
    server: () => server,
    provider: () => provider,
    browser: () => browser,
    context: () => contexts[0]!,
    newPath: () => `/c/page-test-${++count}`,
    openTab: (path) => open(contexts[0]!, server.url + path),
    newContext,
  };
}

/** Opens an address in a new tab and waits until the page is connected. */
export async function open(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await shows(page, "Connected");
  return page;
}

export const field = (page: Page) => page.getByRole("textbox", { name: "Message" });
export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
export const messages = (page: Page) => page.getByRole("log").getByRole("article");

/** With the keys that send on every device. */
export async function send(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press("Control+Enter");
}

export const shows = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();
export const hasFocus = (page: Page) => field(page).evaluate((element) => element === document.activeElement);
export const isReady = (page: Page) => button(page, "Stop").waitFor({ state: "detached" });

/** The texts of all messages. */
export async function transcript(page: Page): Promise<string[]> {
  const texts = await messages(page).allInnerTexts();
  return texts.map((text) => text.replace(/\s+/g, " ").trim());
}
