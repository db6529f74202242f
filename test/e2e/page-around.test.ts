/** What stands around a conversation: the list of recent ones, code to copy, themes, and the panel for the curious. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { button, field, isReady, messages, open, send, shows, stage } from "./page-stage.ts";

const { newContext, newPath, openTab, provider, server } = stage();

/** Says something and lets the model answer. */
async function say(page: Page, text: string, answer = "Yes."): Promise<void> {
  await send(page, text);
  const held = await provider().next();
  held.say(answer);
  held.end();
  await isReady(page);
}

const sidebar = (page: Page) => page.getByRole("navigation", { name: "Conversations" });
const titles = (page: Page) => sidebar(page).locator(".recent-title").allInnerTexts();
const panel = (page: Page) => page.getByRole("complementary", { name: "Inside" });
const frames = (page: Page) => panel(page).getByRole("list", { name: /Frames/ });
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

describe("the list of recent conversations", () => {
  it("names them by what was said first, newest first, and opens them", async () => {
    const path = newPath();
    const page = await openTab(path);
    await sidebar(page).getByText("appear here once something was said").waitFor();
    await say(page, "First of all\nand more");
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("First of all");
    await sidebar(page).getByRole("link", { name: "New conversation" }).click();
    await shows(page, "What shall we do?");
    await say(page, "Second");
    expect(await titles(page)).toEqual(["Second", "First of all"]);
    await sidebar(page)
      .getByRole("link", { name: /First of all/ })
      .click();
    await page.waitForURL(server().url + path);
    await messages(page).getByText("Yes.").waitFor();
    expect(await titles(page)).toEqual(["Second", "First of all"]);
    await say(page, "Once more");
    expect(await titles(page)).toEqual(["First of all", "Second"]);
  });

  it("takes the open conversation off, which keeps its heading, and gives the focus to the next one", async () => {
    const page = await openTab(newPath());
    await say(page, "Older");
    await sidebar(page).getByRole("link", { name: "New conversation" }).click();
    await shows(page, "What shall we do?");
    await say(page, "Open");
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    await button(page, "Take “Open” off the list").focus();
    await page.keyboard.press("Enter");
    expect(await titles(page)).toEqual(["Older"]);
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Open");
    expect(await focused()).toContain("Older");
    await button(page, "Take “Older” off the list").focus();
    await page.keyboard.press("Enter");
    expect(await focused()).toContain("New conversation");
  });

  it("takes another title, forgets, and is the same in every tab", async () => {
    const [one, two] = [await openTab(newPath()), await openTab(newPath())];
    await say(one, "Old title");
    await sidebar(two).getByText("Old title").waitFor();
    await sidebar(one).getByText("Old title").hover();
    await button(one, "Rename “Old title”").click();
    await one.getByRole("textbox", { name: "Title" }).fill("New title");
    await one.keyboard.press("Enter");
    await sidebar(two).getByText("New title").waitFor();
    expect(await one.title()).toBe("New title · Troupe");
    await sidebar(two).getByText("New title").hover();
    await button(two, "Take “New title” off the list").click();
    await expect.poll(() => titles(one)).toEqual([]);
    await messages(one).getByText("Yes.").waitFor();
  });

  it("is a drawer on a phone, which Escape closes and whose links close it", async () => {
    const phone = await newContext({ viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
    const page = await open(phone, server().url + newPath());
    await say(page, "On the phone");
    await button(page, "Conversations").click();
    await sidebar(page).getByText("On the phone").waitFor();
    await page.keyboard.press("Escape");
    await sidebar(page).waitFor({ state: "detached" });
    expect(await button(page, "Conversations").evaluate((element) => element === document.activeElement)).toBe(true);
    await button(page, "Conversations").click();
    await sidebar(page).getByRole("link", { name: "New conversation" }).click();
    await shows(page, "What shall we do?");
    expect(await sidebar(page).count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  it("is closed by the way back, which leads on from there as if it had never been open", async () => {
    const phone = await newContext({ viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
    const page = await open(phone, server().url + newPath());
    const first = page.url();
    await button(page, "Conversations").click();
    await sidebar(page).waitFor();
    await page.goBack();
    await sidebar(page).waitFor({ state: "detached" });
    expect(page.url()).toBe(first);
    await button(page, "Conversations").click();
    await sidebar(page).getByRole("link", { name: "New conversation" }).click();
    await expect.poll(() => page.url()).not.toBe(first);
    await page.goBack();
    await page.waitForURL(first);
    expect(await sidebar(page).count()).toBe(0);
  });
});

describe("attached files", () => {
  it("reach a real model as text and picture, and history keeps them as they came", async () => {
    const path = newPath();
    const page = await openTab(path);
    const png = Buffer.from("iVBORw0KGgo=", "base64");
    await page.locator("input[type=file]").setInputFiles([
      { name: "notes.md", mimeType: "text/markdown", buffer: Buffer.from("# Notes") },
      { name: "dot.png", mimeType: "image/png", buffer: png },
    ]);
    await page.getByText("dot.png").waitFor();
    await send(page, "What is this?");
    const held = await provider().next();
    expect((await held.prompt).at(-1)?.content).toEqual([
      { type: "text", text: 'Attached file "notes.md" (text/markdown, 7 bytes):\n\n# Notes' },
      { type: "image_url", image_url: { url: `data:image/png;base64,${png.toString("base64")}` } },
      { type: "text", text: "What is this?" },
    ]);
    held.say("Notes and a dot.");
    held.end();
    await isReady(page);
    const stored = await fetch(`${server().url}/agents/assistant/${path.slice("/c/".length)}/get-messages`);
    const [message] = (await stored.json()) as { parts: { type: string; filename?: string }[] }[];
    expect(message?.parts.map(({ type, filename }) => filename ?? type)).toEqual(["notes.md", "dot.png", "text"]);
  });
});

describe("what is written and not sent yet", () => {
  it("is there again after another conversation and after a reload, and gone once it is sent", async () => {
    const page = await openTab(newPath());
    await field(page).fill("half a\nthought");
    await sidebar(page).getByRole("link", { name: "New conversation" }).click();
    await expect.poll(() => field(page).inputValue()).toBe("");
    await page.goBack();
    await expect.poll(() => field(page).inputValue()).toBe("half a\nthought");
    await page.reload();
    await expect.poll(() => field(page).inputValue()).toBe("half a\nthought");
    await shows(page, "Connected");
    await say(page, "half a thought, whole");
    await page.reload();
    await messages(page).getByText("Yes.").waitFor();
    expect(await field(page).inputValue()).toBe("");
  });
});

describe("an answer", () => {
  it("colours code, names its language, and lets code and answers be copied", async () => {
    const page = await openTab(newPath());
    await say(page, "code", "Here:\n\n```ts\nconst a = 1;\n```\n\nThat is it.");
    const block = messages(page).last().getByRole("figure");
    expect(await block.locator("figcaption").innerText()).toMatch(/^ts\s+Copy$/);
    expect(await block.locator(".hljs-keyword").innerText()).toBe("const");
    await button(page, "Copy code").click();
    await block.getByText("Copied").waitFor();
    expect(await clipboard(page)).toBe("const a = 1;");
    await button(page, "Copy answer").click();
    expect(await clipboard(page)).toBe("Here:\n\n```ts\nconst a = 1;\n```\n\nThat is it.");
  });

  it("is read out once, as a whole", async () => {
    const page = await openTab(newPath());
    await send(page, "go");
    const answer = await provider().next();
    answer.say("The first half, ");
    await shows(page, "The first half,");
    const live = page.locator("[data-announcer]");
    expect(await live.textContent()).toBe("");
    answer.say("the **second** half.");
    answer.end();
    await isReady(page);
    await expect.poll(() => live.textContent()).toBe("The first half, the second half.");
  });
});

describe("the theme", () => {
  it("is the system's until somebody chooses, and stays chosen", async () => {
    const page = await openTab(newPath());
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.getByRole("button", { name: /^Theme/ }).click();
    expect(await ground()).toBe(light);
    await page.reload();
    await shows(page, "Connected");
    expect(await ground()).toBe(light);
    await page.getByRole("button", { name: /^Theme: light/ }).click();
    await page.emulateMedia({ colorScheme: "light" });
    expect(await ground()).toBe(dark);
  });
});

describe("the panel", () => {
  it("shows frames as they come and go, filtered, paused, and opened", async () => {
    const page = await openTab(newPath());
    await page.setViewportSize({ width: 1440, height: 900 });
    await button(page, "Inside").click();
    await frames(page).getByText("stream_resume_request").waitFor();
    await say(page, "hello", "A word.");
    await frames(page).getByText('text-delta "A word."').click();
    await panel(page).getByText('"delta"').waitFor();
    await panel(page).getByLabel("Direction").selectOption("sent");
    expect(await frames(page).locator(".frame-type").allInnerTexts()).toEqual([
      "stream_resume_request",
      "chat_request",
    ]);
    await panel(page).getByLabel("Direction").selectOption("all");
    await panel(page).getByLabel("Filter frames").fill("resume_request");
    await panel(page)
      .getByText(/^1 of \d+$/)
      .waitFor();
    await panel(page).getByLabel("Filter frames").fill("chat_tail");
    const tails = await frames(page).getByText("chat_tail").count();
    expect(tails).toBeGreaterThan(0);
    await button(page, "Pause").click();
    await say(page, "again");
    expect(await frames(page).getByText("chat_tail").count()).toBe(tails);
    await button(page, "Pause").click();
    await expect.poll(() => frames(page).getByText("chat_tail").count()).toBeGreaterThan(tails);
  });

  it("scrolls by itself: many frames make the page no longer than the window", async () => {
    const page = await openTab(newPath());
    await page.setViewportSize({ width: 1440, height: 900 });
    await button(page, "Inside").click();
    for (const word of ["one", "two", "three", "four", "five"]) await say(page, word);
    await expect.poll(() => frames(page).locator(".frame-type").count()).toBeGreaterThan(40);
    expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0);
  });

  it("tells what the last turn cost, and stays open over a reload", async () => {
    const page = await openTab(newPath());
    await page.setViewportSize({ width: 1440, height: 900 });
    await button(page, "Inside").click();
    await panel(page).getByText("No turn yet").waitFor();
    await say(page, "count");
    await panel(page).getByText("completed", { exact: true }).waitFor();
    const numbers = await panel(page).getByRole("definition").allInnerTexts();
    expect(numbers).toHaveLength(8);
    expect(numbers.every((number) => /\d/.test(number))).toBe(true);
    await panel(page).getByText("Turn record").click();
    await panel(page).getByText('"requestId"').waitFor();
    await page.reload();
    await panel(page).getByText("completed", { exact: true }).waitFor();
    await button(page, "Clear").click();
    await page.getByRole("dialog").getByRole("button", { name: "Clear" }).click();
    await panel(page).getByText("none since the conversation was cleared").waitFor();
    await button(page, "Close the panel").click();
    await panel(page).waitFor({ state: "detached" });
  });

  it("tells of a turn that still runs, and goes on telling until it has ended", async () => {
    const page = await openTab(newPath());
    await page.setViewportSize({ width: 1440, height: 900 });
    await send(page, "slowly");
    const answer = await provider().next();
    answer.say("Half");
    await messages(page).getByText("Half").waitFor();
    await button(page, "Inside").click();
    await panel(page).getByText("running", { exact: true }).waitFor();
    answer.end();
    await panel(page).getByText("completed", { exact: true }).waitFor();
  });

  it("comes over the conversation where there is no room beside it", async () => {
    const tablet = await newContext({ viewport: { width: 820, height: 1000 } });
    const page = await open(tablet, server().url + newPath());
    await button(page, "Inside").click();
    const sheet = page.getByRole("dialog", { name: "Inside" });
    await sheet.getByText("stream_resume_request").waitFor();
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    expect(await field(page).isVisible()).toBe(true);
  });
});
