/** The page of the assistant in a real browser, on the real Worker, with a model whose every word the test decides. */
import { describe, expect, it } from "vitest";
import { button, field, hasFocus, isReady, messages, open, send, shows, stage, transcript } from "./page-stage.ts";

const { context, newContext, newPath, openTab, provider, server } = stage();

const lines = (from: number) => Array.from({ length: 60 }, (_, at) => `\n\nLine ${from + at}`).join("");

describe("the page", () => {
  it("gives a new conversation a name of its own", async () => {
    const page = await openTab("/");
    expect(new URL(page.url()).pathname).toMatch(/^\/c\/[a-z]+-[a-z]+-\d{4}$/);
    const first = page.url();
    await page.getByRole("link", { name: /New/ }).click();
    await shows(page, "What shall we do?");
    expect(page.url()).not.toBe(first);
    await page.goBack();
    await page.waitForURL(first);
  });

  it.each(["/nonsense", "/c/a/b"])("says that there is no page at %s", async (path) => {
    const page = await context().newPage();
    await page.goto(server().url + path);
    await shows(page, "There is no such page");
    expect(new URL(page.url()).pathname).toBe(path);
    await page.getByRole("link", { name: "Start a new conversation" }).click();
    await shows(page, "What shall we do?");
  });

  it("names the model and has six things to try", async () => {
    const page = await openTab(newPath());
    await shows(page, /held \(openai-compatible\)/);
    const ideas = page.getByRole("region", { name: "Ideas to begin with" }).getByRole("button");
    await expect.poll(() => ideas.count()).toBe(6);
    const idea = await ideas.first().locator("strong").innerText();
    await ideas.first().click();
    expect(await hasFocus(page)).toBe(true);
    const answer = await provider().next();
    answer.say("Let me see.");
    answer.end();
    await isReady(page);
    expect(await transcript(page)).toEqual([idea, "Let me see."]);
  });

  it("holds a conversation and draws it as formatted text", async () => {
    const page = await openTab(newPath());
    await field(page).fill("one");
    await field(page).press("Shift+Enter");
    await field(page).pressSequentially("two");
    await field(page).press("Enter");
    await shows(page, "Waiting for an answer…");
    const first = await provider().next();
    first.say("Some **bold** text and <b>none</b>");
    await page.locator("strong", { hasText: "bold" }).waitFor();
    await shows(page, "The assistant is answering…");
    first.say(" here.");
    first.end();
    await isReady(page);
    expect(await messages(page).first().innerText()).toBe("one\ntwo");
    await send(page, "more");
    const second = await provider().next();
    second.say("Done.");
    second.end();
    await isReady(page);
    expect(await transcript(page)).toEqual(["one two", "Some bold text and <b>none</b> here.", "more", "Done."]);
    expect(await hasFocus(page)).toBe(true);
  });

  it("goes on with an answer after a reload in the middle of it", async () => {
    const page = await openTab(newPath());
    await send(page, "go");
    const answer = await provider().next();
    answer.say("The first half, ");
    await shows(page, "The first half,");
    await page.reload();
    await shows(page, "The first half,");
    await button(page, "Stop").waitFor();
    answer.say("the second half.");
    await shows(page, "The first half, the second half.");
    answer.end();
    await isReady(page);
    expect(await transcript(page)).toEqual(["go", "The first half, the second half."]);
  });

  it("shows the same in a second tab, live", async () => {
    const path = newPath();
    const [one, two] = [await openTab(path), await openTab(path)];
    await send(one, "both");
    const answer = await provider().next();
    answer.say("Seen ");
    await Promise.all([shows(one, "Seen"), shows(two, "Seen")]);
    answer.say("twice.");
    answer.end();
    await Promise.all([shows(one, "Seen twice."), shows(two, "Seen twice.")]);
    await Promise.all([isReady(one), isReady(two)]);
    expect(await transcript(two)).toEqual(await transcript(one));
  });

  it("stops an answer in every tab, keeps what was said, and answers again when asked to", async () => {
    const path = newPath();
    const [one, two] = [await openTab(path), await openTab(path)];
    await send(one, "count");
    const answer = await provider().next();
    answer.say("One, two");
    await Promise.all([shows(one, "One, two"), shows(two, "One, two")]);
    await button(two, "Stop").click();
    await answer.cancelled;
    await Promise.all([shows(one, "This answer was stopped."), shows(two, "This answer was stopped.")]);
    expect(await transcript(one)).toEqual(["count", "One, two"]);
    await one.bringToFront();
    await button(one, "Try again").click();
    const again = await provider().next();
    again.say("Three, four");
    again.end();
    await Promise.all([shows(one, "Three, four"), shows(two, "Three, four")]);
    await Promise.all([isReady(one), isReady(two)]);
    expect(await transcript(one)).toEqual(["count", "Three, four"]);
    expect(await transcript(two)).toEqual(["count", "Three, four"]);
  });

  it("stops only what runs: messages in line are marked, kept and answered", async () => {
    const page = await openTab(newPath());
    await send(page, "first");
    const first = await provider().next();
    first.say("One, two");
    await shows(page, "One, two");
    await send(page, "second");
    await shows(page, "waiting");
    expect(await transcript(page)).toEqual(["first", "One, two", "second waiting"]);
    expect(await page.locator(".growing").innerText()).toBe("One, two");
    expect(await page.locator(".dots").count()).toBe(0);
    await button(page, "Stop").click();
    await first.cancelled;
    expect(await hasFocus(page)).toBe(true);
    const second = await provider().next();
    second.say("Three");
    await shows(page, "Three");
    expect(await transcript(page)).toEqual(["first", "One, two Stopped.", "second", "Three"]);
    await field(page).press("Escape");
    await second.cancelled;
    await shows(page, "This answer was stopped.");
    await isReady(page);
    expect(await page.getByRole("status").textContent()).toBe("Answer stopped.");
  });

  it("marks messages in line in every tab", async () => {
    const path = newPath();
    const [one, two] = [await openTab(path), await openTab(path)];
    await send(one, "first");
    const first = await provider().next();
    first.say("One, two");
    await shows(two, "One, two");
    await send(one, "second");
    await Promise.all([shows(one, "waiting"), shows(two, "waiting")]);
    expect(await transcript(two)).toEqual(["first", "One, two", "second waiting"]);
    first.end();
    const second = await provider().next();
    second.say("Three");
    second.end();
    await Promise.all([shows(one, "Three"), shows(two, "Three")]);
    expect(await two.getByText("waiting").count()).toBe(0);
  });

  it("moves nothing when an answer is whole", async () => {
    const page = await openTab(newPath());
    await send(page, "first");
    const first = await provider().next();
    first.say("One, two");
    await shows(page, "One, two");
    const height = async () => (await messages(page).nth(1).boundingBox())?.height;
    const growing = await height();
    first.end();
    await button(page, "Copy answer").waitFor();
    expect(await height()).toBe(growing);
  });

  it("answers the last question again when asked to", async () => {
    const page = await openTab(newPath());
    await send(page, "a number");
    const first = await provider().next();
    expect(await button(page, "Answer again").count()).toBe(0);
    first.say("One.");
    first.end();
    await isReady(page);
    await button(page, "Answer again").click();
    expect(await hasFocus(page)).toBe(true);
    const second = await provider().next();
    second.say("Two.");
    second.end();
    await shows(page, "Two.");
    await isReady(page);
    expect(await transcript(page)).toEqual(["a number", "Two."]);
  });

  it("says that the device is offline, and that it is back", async () => {
    const page = await openTab(newPath());
    await context().setOffline(true);
    await shows(page, "Offline");
    await shows(page, "This device is offline");
    expect(await page.getByText("Connected").count()).toBe(0);
    await context().setOffline(false);
    await shows(page, "Connected");
    expect(await page.getByText("This device is offline").count()).toBe(0);
  });

  it("begins a new line with Enter where the keyboard is on the screen", async () => {
    const phone = await newContext({ viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true });
    const page = await open(phone, server().url + newPath());
    const composer = await page.locator(".composer").boundingBox();
    expect(composer?.height).toBeLessThan(390 / 5);
    await field(page).fill("one");
    await field(page).press("Enter");
    await field(page).pressSequentially("two");
    expect(await field(page).inputValue()).toBe("one\ntwo");
    await button(page, "Send").tap();
    const answer = await provider().next();
    answer.say("Both.");
    answer.end();
    await isReady(page);
    expect(await transcript(page)).toEqual(["one two", "Both."]);
  });

  it("says that an older question was not answered", async () => {
    const page = await openTab(newPath());
    await send(page, "lost");
    await provider().next();
    await button(page, "Stop").click();
    await isReady(page);
    await send(page, "next");
    const answer = await provider().next();
    answer.say("Here.");
    answer.end();
    await isReady(page);
    expect(await transcript(page)).toEqual(["lost not answered", "next", "Here."]);
    expect(await page.getByRole("status").textContent()).toBe("Answer complete.");
  });

  it("shows what a tool was asked and what it answered", async () => {
    const page = await openTab(newPath());
    await send(page, "six times seven?");
    (await provider().next()).call("calculate", { expression: "6 * 7" });
    const answer = await provider().next();
    answer.say("It is 42.");
    answer.end();
    await isReady(page);
    const call = page.getByRole("group").filter({ hasText: "calculate" });
    await call.getByText("done").waitFor();
    await call.getByText("calculate").click();
    expect(await call.getByRole("figure").allInnerTexts()).toEqual([
      expect.stringMatching(/^Input\s+Copy\s+\{\s+"expression": "6 \* 7"\s+\}$/),
      expect.stringMatching(/^Output\s+Copy\s+\{[^]*42\s+\}$/),
    ]);
  });

  it("tells an error in words and tries again", async () => {
    const page = await openTab(newPath());
    await send(page, "break");
    const answer = await provider().next();
    answer.say("So far");
    await shows(page, "So far");
    answer.breakOff();
    const alert = page.getByRole("alert");
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(/^The model failed\.\s+This is usually over soon\. [^]*\s+Try again$/);
    await button(page, "Try again").click();
    await alert.waitFor({ state: "detached" });
    expect(await hasFocus(page)).toBe(true);
    const again = await provider().next();
    again.say("All of it.");
    again.end();
    await isReady(page);
    expect(await transcript(page)).toEqual(["break", "All of it."]);
    expect(await alert.count()).toBe(0);
  });

  it("clears for everybody, after asking", async () => {
    const path = newPath();
    const [one, two] = [await openTab(path), await openTab(path)];
    await send(one, "forget this");
    const answer = await provider().next();
    answer.say("Gladly.");
    answer.end();
    await Promise.all([isReady(one), shows(two, "Gladly.")]);
    await one.bringToFront();
    await button(one, "Clear").click();
    await button(one, "Keep it").click();
    expect(await transcript(one)).toEqual(["forget this", "Gladly."]);
    await button(one, "Clear").click();
    await one.getByRole("dialog").getByRole("button", { name: "Clear" }).click();
    await Promise.all([shows(one, "What shall we do?"), shows(two, "What shall we do?")]);
    expect(await hasFocus(one)).toBe(true);
    await two.reload();
    await shows(two, "What shall we do?");
  });

  it("lets nobody confirm a clear while there is no connection", async () => {
    const page = await openTab(newPath());
    await send(page, "keep this");
    const answer = await provider().next();
    answer.end();
    await isReady(page);
    await button(page, "Clear").click();
    const confirm = page.getByRole("dialog").getByRole("button", { name: "Clear" });
    await context().setOffline(true);
    await expect.poll(() => confirm.isDisabled()).toBe(true);
    await context().setOffline(false);
    await expect.poll(() => confirm.isDisabled()).toBe(false);
    await confirm.click();
    await shows(page, "What shall we do?");
  });

  it("leaves a reader where he is while an answer grows, and goes back to the end when asked", async () => {
    const page = await openTab(newPath());
    await send(page, "long");
    const answer = await provider().next();
    answer.say(lines(0));
    await page.getByText("Line 59").waitFor();
    const box = page.getByRole("region", { name: "Conversation" });
    const rest = () => box.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
    await expect.poll(rest).toBeLessThan(2);
    await box.hover();
    await page.mouse.wheel(0, -600);
    await button(page, "Latest").waitFor();
    const top = await box.evaluate((element) => element.scrollTop);
    answer.say(lines(60));
    await page.getByText("Line 119").waitFor();
    expect(await box.evaluate((element) => element.scrollTop)).toBe(top);
    await button(page, "Latest").click();
    answer.say(lines(120));
    answer.end();
    await isReady(page);
    await expect.poll(rest).toBeLessThan(2);
  });

  it("shows earlier messages when asked to, and moves nothing that is read", async () => {
    const path = newPath();
    const url = `${server().url}/agents/assistant/${path.slice("/c/".length)}/chat`;
    for (let turn = 1; turn <= 30; turn++) {
      const message = { id: `u${turn}`, role: "user", parts: [{ type: "text", text: `Question ${turn}.` }] };
      const response = fetch(url, { method: "POST", body: JSON.stringify({ messages: [message] }) });
      const answer = await provider().next();
      answer.say(`Answer ${turn}.`);
      answer.end();
      await (await response).text();
    }
    const page = await openTab(path);
    await shows(page, "Answer 30.");
    expect((await transcript(page)).at(0)).toBe("Question 6.");
    const box = page.getByRole("region", { name: "Conversation" });
    await box.evaluate((element) => (element.scrollTop = 0));
    const before = await messages(page).getByText("Question 6.").boundingBox();
    await button(page, "Show earlier messages").click();
    await messages(page).getByText("Question 1.").waitFor();
    expect(await button(page, "Show earlier messages").count()).toBe(0);
    const after = await messages(page).getByText("Question 6.").boundingBox();
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(3);
    expect(await messages(page).count()).toBe(60);
  });

  it("keeps what was said when the server dies in the middle, and answers again when asked to", async () => {
    const page = await openTab(newPath());
    await send(page, "careful");
    const answer = await provider().next();
    answer.say("Half of");
    await shows(page, "Half of");
    server().killRuntime();
    await shows(page, "Reconnecting");
    await server().restart();
    await shows(page, "Connected");
    await button(page, "Try again").click();
    const again = await provider().next();
    again.say("All of it.");
    again.end();
    await shows(page, "All of it.");
    await isReady(page);
    expect(await transcript(page)).toEqual(["careful", "All of it."]);
  });

  it("has everything again after the server was killed, and sends what was written meanwhile", async () => {
    const page = await openTab(newPath());
    await send(page, "remember");
    const answer = await provider().next();
    answer.say("I will.");
    answer.end();
    await isReady(page);
    server().killRuntime();
    await shows(page, "Reconnecting");
    await send(page, "are you back?");
    await shows(page, "Your message is sent as soon as there is one.");
    await server().restart();
    const late = await provider().next();
    late.say("I am.");
    late.end();
    await shows(page, "I am.");
    await isReady(page);
    expect(await transcript(page)).toEqual(["remember", "I will.", "are you back?", "I am."]);
    await page.reload();
    await shows(page, "I am.");
    expect(await transcript(page)).toEqual(["remember", "I will.", "are you back?", "I am."]);
  });
});
