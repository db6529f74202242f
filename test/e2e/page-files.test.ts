/** What goes along with a message: choosing, pasting and dropping files, their limits, and what becomes of them. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { button, field, isReady, messages, send, shows, stage } from "./page-stage.ts";

const { newPath, openTab, server } = stage("demo");

const note = { name: "notes.md", mimeType: "text/markdown", buffer: Buffer.from("# Notes\nmore\n") };
const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
/** A picture of some size: browsers draw it and ignore what stands behind its end. */
const picture = (bytes: number, name = "dot.png") => ({
  name,
  mimeType: "image/png",
  buffer: Buffer.concat([dot, Buffer.alloc(bytes - dot.length, 7)]),
});

type FilePayload = typeof note;

const choose = (page: Page, files: FilePayload[]) => page.locator("input[type=file]").setInputFiles(files);
const attached = (page: Page) => page.getByRole("list", { name: "Attached files" }).getByRole("listitem");

/** Files as the browser hands them over with a paste or a drop. */
function handOver(page: Page, files: FilePayload[], event: "paste" | "drop"): Promise<void> {
  const contents = files.map(({ name, mimeType, buffer }) => ({ name, mimeType, base64: buffer.toString("base64") }));
  return field(page).evaluate(
    (element, { contents, event }) => {
      const data = new DataTransfer();
      for (const { name, mimeType, base64 } of contents) {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        data.items.add(new File([bytes], name, { type: mimeType }));
      }
      const options = { bubbles: true, cancelable: true };
      element.dispatchEvent(
        event === "paste"
          ? new ClipboardEvent("paste", { ...options, clipboardData: data })
          : new DragEvent("drop", { ...options, dataTransfer: data }),
      );
    },
    { contents, event },
  );
}

describe("attached files", () => {
  it("are chosen, pasted and dropped, shown, and taken off again", async () => {
    const page = await openTab(newPath());
    await choose(page, [note]);
    await handOver(page, [picture(100)], "paste");
    await handOver(page, [{ ...note, name: "main.rs", mimeType: "" }], "drop");
    await expect
      .poll(() => attached(page).allInnerTexts())
      .toEqual([
        expect.stringMatching(/notes\.md\s+13 bytes/),
        expect.stringMatching(/dot\.png\s+100 bytes/),
        expect.stringMatching(/main\.rs\s+13 bytes/),
      ]);
    await button(page, "Remove dot.png").click();
    await expect.poll(() => attached(page).count()).toBe(2);
    expect(await button(page, "Send").isEnabled()).toBe(true);
  });

  it("are refused with a reason that says what would do", async () => {
    const page = await openTab(newPath());
    await choose(page, [
      { name: "a.zip", mimeType: "application/zip", buffer: Buffer.from("PK") },
      { name: "binary.txt", mimeType: "text/plain", buffer: Buffer.from([0, 255, 0]) },
      { name: "long.txt", mimeType: "text/plain", buffer: Buffer.alloc(200_001, "x") },
      note,
    ]);
    const reasons = page.getByRole("alert");
    await reasons.waitFor();
    expect((await reasons.innerText()).split(/\n+/)).toEqual([
      "“a.zip” is neither a picture (PNG, JPEG, GIF, WebP) nor a text file.",
      "“binary.txt” could not be read as text.",
      "“long.txt” has 201 kB. A text file may have 200 kB at most.",
    ]);
    expect(await attached(page).count()).toBe(1);
    await button(page, "Remove notes.md").click();
    expect(await reasons.count()).toBe(0);
    expect(await button(page, "Send").isDisabled()).toBe(true);
  });

  it("are made smaller when they are pictures over the limit", async () => {
    const page = await openTab(newPath());
    await choose(page, [picture(6_000_000, "photo.png")]);
    await expect
      .poll(() => attached(page).allInnerTexts())
      .toEqual([expect.stringMatching(/photo\.jpg\s+made smaller to fit, \d+ bytes/)]);
    await choose(page, [{ ...picture(6_000_000, "broken.png"), buffer: Buffer.alloc(6_000_000, 7) }]);
    await page.getByRole("alert").getByText("“broken.png” has 6.0 MB. A picture may have 5.0 MB at most.").waitFor();
  });

  it("are sent with the message, seen by the model, and open in the transcript", async () => {
    const page = await openTab(newPath());
    await choose(page, [note, picture(100)]);
    await expect.poll(() => attached(page).count()).toBe(2);
    await send(page, "What did I attach?");
    await shows(page, "13 bytes). It begins with");
    await isReady(page);
    expect(await messages(page).last().innerText()).toContain("dot.png (image/png, 100 bytes)");
    expect(await attached(page).count()).toBe(0);
    const own = messages(page).first();
    await own.locator("summary").click();
    await own.getByText("# Notes").waitFor();
    await button(page, "Open dot.png").click();
    const large = page.getByRole("dialog", { name: "dot.png" });
    await large.getByRole("img").waitFor();
    await page.keyboard.press("Escape");
    await large.waitFor({ state: "hidden" });
  });

  it("stand in a message as a row of pictures of one height, with the other files in a column below", async () => {
    const page = await openTab(newPath());
    const script = { ...note, name: "b.ts", mimeType: "text/vnd.trolltech.linguist" };
    await choose(page, [picture(100, "a.png"), note, picture(100, "b.png"), script]);
    await expect.poll(() => attached(page).count()).toBe(4);
    await button(page, "Send").click();
    await shows(page, "b.ts (text/plain");
    const boxes = (selector: string) =>
      page
        .locator(`.files ${selector}`)
        .evaluateAll((all) => all.map((element) => element.getBoundingClientRect().toJSON() as DOMRect));
    const [left, right] = await boxes(".picture");
    const [above, below] = await boxes(".documents > *");
    expect([right?.top, right?.height]).toEqual([left?.top, left?.height]);
    expect([above?.left, below?.left]).toEqual([left?.left, left?.left]);
    expect(above?.top).toBeGreaterThan(left?.bottom ?? 0);
    expect(below?.top).toBeGreaterThan(above?.bottom ?? 0);
    await isReady(page);
  });

  it("may be all there is in a message, and 3 MB of them are there again after a reload", async () => {
    const path = newPath();
    const page = await openTab(path);
    await choose(page, [picture(3_000_000, "large.png")]);
    await expect.poll(() => attached(page).count()).toBe(1);
    await button(page, "Send").click();
    await shows(page, "image/png, 3,000,000 bytes");
    await isReady(page);
    await page.reload();
    const image = messages(page).first().getByRole("button").getByRole("img");
    await image.waitFor();
    expect(await image.evaluate((element) => (element as HTMLImageElement).src.length)).toBe(4_000_022);
    expect(await image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(1);
    const stored = await fetch(`${server().url}/agents/assistant/${path.slice("/c/".length)}/get-messages`);
    const [message] = (await stored.json()) as { parts: { url: string; filename: string }[] }[];
    expect(message?.parts.map(({ filename, url }) => [filename, url.length])).toEqual([["large.png", 4_000_022]]);
  });

  it("come with an idea to try", async () => {
    const page = await openTab(newPath());
    await page.getByText("What did I attach?").click();
    await shows(page, "packing-list.md (text/markdown");
    await isReady(page);
    expect(await messages(page).first().getByRole("img", { name: "stage.png" }).count()).toBe(1);
  });
});
