/** The page for everybody: axe finds nothing, in whatever state, theme and width; keys reach everything. */
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { button, isReady, messages, open, send, shows, stage } from "./page-stage.ts";

const { newContext, newPath, openTab, provider, server } = stage();

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What axe finds, one line each. */
async function problemsOf(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: axe });
  // Things that come and go are looked at once they stand still.
  await page.evaluate(() => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
    return Promise.all(ending.map(({ finished }) => finished.then(() => null)));
  });
  const { violations, passes, incomplete } = await page.evaluate<AxeResults>("axe.run()");
  // Over a modal dialog's backdrop axe cannot tell contrasts, and says so.
  expect([...passes, ...incomplete].map(({ id }) => id)).toContain("color-contrast");
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
  );
}

const MARKDOWN = `# Title

Some **bold** text, \`code\`, a [link](https://example.com/), ~~gone~~.

- [x] done
- [ ] to do

1. one
2. two

| a | b |
|---|--:|
| 1 | 2 |

\`\`\`ts
// A comment
export const a: string = "text" + 1;
\`\`\`

\`\`\`diff
- old
+ new
\`\`\`

> A quote.`;

/** A conversation with one of everything. */
async function seed(page: Page): Promise<void> {
  await page.locator("input[type=file]").setInputFiles([
    { name: "notes.md", mimeType: "text/markdown", buffer: Buffer.from("# Notes\n") },
    {
      name: "dot.png",
      mimeType: "image/png",
      buffer: Buffer.from(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
        "base64",
      ),
    },
  ]);
  await page.getByRole("listitem").filter({ hasText: "dot.png" }).waitFor();
  await send(page, "Everything, please");
  const first = await provider().next();
  first.think("Let me see.");
  first.say(MARKDOWN);
  first.call("calculate", { expression: "6 * 7" });
  (await provider().next()).call("calculate", { expression: "1 / 0" });
  const last = await provider().next();
  last.say("That was everything.");
  last.end();
  await isReady(page);
}

const themes = ["light", "dark"] as const;
const widths = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } };
const looks = themes.flatMap((theme) =>
  Object.entries(widths).map(([device, viewport]) => ({ theme, device, viewport })),
);

describe("axe finds nothing", () => {
  it.each(looks)("on a $device in the $theme theme", async ({ theme, device, viewport }) => {
    const isPhone = device === "phone";
    const options: BrowserContextOptions = { viewport, colorScheme: theme, isMobile: isPhone, hasTouch: isPhone };
    const page = await open(await newContext(options), server().url + newPath());
    await page.goto(`${server().url}/nowhere`);
    await shows(page, "There is no such page");
    expect(await problemsOf(page), "nowhere").toEqual([]);
    await page.getByRole("link", { name: "Start a new conversation" }).click();
    await shows(page, "What shall we do?");
    expect(await problemsOf(page), "empty").toEqual([]);

    await seed(page);
    for (const fold of await page.locator("details.fold > summary").all()) await fold.click();
    expect(await problemsOf(page), "a conversation").toEqual([]);

    await button(page, "Clear").click();
    expect(await problemsOf(page), "the question before clearing").toEqual([]);
    await button(page, "Keep it").click();

    await button(page, "Inside").click();
    await page.locator(".frame summary").last().click();
    expect(await problemsOf(page), "the panel").toEqual([]);
    await button(page, "Close the panel").click();

    if (isPhone) await button(page, "Conversations").click();
    await page.getByText("Everything, please").first().waitFor();
    expect(await problemsOf(page), "the list of conversations").toEqual([]);
    if (isPhone) await page.keyboard.press("Escape");

    await page.locator("input[type=file]").setInputFiles([{ name: "a.zip", mimeType: "", buffer: Buffer.from("PK") }]);
    await send(page, "break");
    const answer = await provider().next();
    answer.say("So far");
    await messages(page).getByText("So far").waitFor();
    expect(await problemsOf(page), "while it answers").toEqual([]);
    answer.breakOff();
    await shows(page, "The model failed.");
    expect(await problemsOf(page), "an error").toEqual([]);
  });
});

describe("the keyboard", () => {
  it("reaches what stands on the page, in the order in which it is read", async () => {
    const page = await openTab(newPath());
    await seed(page);
    await page.getByText("Troupe", { exact: true }).click();
    const names: string[] = [];
    for (let at = 0; at < 40; at++) {
      await page.keyboard.press("Tab");
      const name = await page.evaluate(() => {
        const element = document.activeElement;
        if (element === null || element === document.body) return "";
        return element.getAttribute("aria-label") ?? (element.textContent || element.id || element.tagName);
      });
      if (name === "") break;
      names.push(name.trim());
    }
    const order = [
      "New conversation",
      "Clear",
      "Inside",
      "Conversation",
      "Open dot.png",
      "Copy answer",
      "Attach files",
    ];
    expect(names.filter((name) => order.includes(name))).toEqual(order);
  });

  it("moves nothing for those who want no motion", async () => {
    const page = await open(await newContext({ reducedMotion: "reduce" }), server().url + newPath());
    await send(page, "go");
    const answer = await provider().next();
    await page.locator(".dots").waitFor();
    answer.say("Word");
    await messages(page).getByText("Word").waitFor();
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
    answer.end();
    await isReady(page);
  });
});
