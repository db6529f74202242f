/**
 * Tabs of the page, in StrictMode, on the real Worker over a wire that is cut
 * at random moments in an answer: what they show grows, and is the same in the
 * end for everybody. `WALK_SEED=<n>` repeats the moments.
 */
import type { UIMessage } from "ai";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Random, randomOf } from "../../src/client/walk/random.ts";
import type { HeldAnswer } from "./held-provider.ts";
import { button, isReady, messages, send, shows, stage, transcript } from "./page-stage.ts";
import { CuttingProxy } from "./stock-clients/cutting-proxy.ts";

const CUTS = 20;
const seed = Number(process.env["WALK_SEED"] ?? 1);

const { server, provider, context, newPath } = stage();
let wire: CuttingProxy;
beforeAll(async () => void (wire = await CuttingProxy.start(Number(new URL(server().url).port))));
afterAll(() => wire?.stop());

/** A tab over the wire, whose time the test can move on, and which remembers when its last message lost a word. */
interface Tab {
  readonly page: Page;
  /** How many sockets it has made. */
  sockets(): number;
}

async function openTab(path: string): Promise<Tab> {
  const page = await context().newPage();
  let sockets = 0;
  page.on("websocket", () => void sockets++);
  await page.clock.install();
  await page.goto(wire.url + path);
  await shows(page, "Connected");
  await page.evaluate(watchWords);
  return { page, sockets: () => sockets };
}

/** Runs in the page. */
function watchWords(): void {
  let before: readonly string[] = [];
  const look = () => {
    const last = [...document.querySelectorAll("[role=log] article")].at(-1);
    const now: readonly string[] = last?.textContent.match(/\bw\d+/g) ?? [];
    if (before.some((word, at) => now[at] !== word)) document.body.dataset["shrunk"] = `${before} to ${now}`;
    before = now;
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
}

/** Loses the connections, and has new ones as soon as it is time for them. */
async function cut(tabs: readonly Tab[], meanwhile: () => void): Promise<void> {
  const before = tabs.map((tab) => tab.sockets());
  expect(wire.cut()).toBeGreaterThanOrEqual(tabs.length);
  meanwhile();
  await Promise.all(tabs.map((tab, at) => comesBack(tab, before[at] ?? 0)));
}

async function comesBack({ page, sockets }: Tab, before: number): Promise<void> {
  const moved = async () => {
    await page.clock.fastForward(2_000);
    return sockets();
  };
  await expect.poll(moved, { timeout: 20_000 }).toBeGreaterThan(before);
  await shows(page, "Connected");
}

/** Says the next words, a delta each. */
function sayer(random: Random, answer: HeldAnswer): () => string {
  let count = 0;
  return () => {
    const words = Array.from({ length: 1 + random.below(4) }, () => `w${++count}`);
    answer.sayAll(words.map((word) => ` ${word}`));
    return words.at(-1) ?? "";
  };
}

async function stored(path: string): Promise<string[]> {
  const name = path.split("/").at(-1);
  const response = await fetch(`${server().url}/agents/assistant/${name}/get-messages`);
  const list = (await response.json()) as UIMessage[];
  return list.map(({ parts }) =>
    parts
      .map((part) => (part.type === "text" ? part.text : ""))
      .join("")
      .trim(),
  );
}

it(`F264, F265: shows three tabs the same whole answer, never less of it, after ${CUTS} cuts (seed ${seed})`, async () => {
  const random = randomOf(seed);
  const path = newPath();
  const tabs = [await openTab(path), await openTab(path), await openTab(path)];
  await send(tabs[0]!.page, "go");
  const answer = await provider().next();
  const say = sayer(random, answer);
  for (let left = CUTS; left > 0; left--) {
    const last = say();
    if (random.chance(50)) await Promise.all(tabs.map(({ page }) => shows(page, new RegExp(`\\b${last}\\b`))));
    await cut(tabs, () => void (random.chance(70) && say()));
  }
  answer.end();
  await Promise.all(tabs.map(({ page }) => isReady(page)));
  const whole = await stored(path);
  expect(whole).toHaveLength(2);
  for (const { page } of tabs) {
    expect(await transcript(page)).toEqual(whole);
    expect(await page.evaluate(() => document.body.dataset["shrunk"])).toBeUndefined();
  }
  const pages = await Promise.all(tabs.map(({ page }) => messages(page).allInnerTexts()));
  expect(pages[1]).toEqual(pages[0]);
  expect(pages[2]).toEqual(pages[0]);
});

it("F266: goes on with an answer whose tab was closed, and ends one that was stopped", async () => {
  const path = newPath();
  const { page: first } = await openTab(path);
  await send(first, "go");
  const answer = await provider().next();
  answer.say("half ");
  await shows(first, "half");
  await first.close();
  answer.say("whole");
  answer.end();
  const { page: second } = await openTab(path);
  await isReady(second);
  expect(await transcript(second)).toEqual(["go", "half whole"]);
  await send(second, "again");
  const next = await provider().next();
  next.say("cut");
  await shows(second, "cut");
  await button(second, "Stop").click();
  await next.cancelled;
  await isReady(second);
  expect(await stored(path)).toEqual(["go", "half whole", "again", "cut"]);
});

it(`keeps two tabs that both send over a wire that is cut in the order of the server (seed ${seed})`, async () => {
  const random = randomOf(seed + 1);
  const path = newPath();
  const tabs = [await openTab(path), await openTab(path)];
  for (const [at, { page }] of tabs.entries()) await send(page, `question ${at}`);
  for (let turn = 0; turn < 2; turn++) {
    const answer = await provider().next();
    const say = sayer(random, answer);
    say();
    await cut(tabs, () => void say());
    answer.end();
  }
  await Promise.all(tabs.map(({ page }) => isReady(page)));
  const whole = await stored(path);
  expect(whole).toHaveLength(4);
  for (const { page } of tabs) expect(await transcript(page)).toEqual(whole);
});
