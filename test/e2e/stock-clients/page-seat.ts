/** A client in a tab of a real browser. */
import type { BrowserContext, Page } from "playwright-core";
import type { Seat } from "./seat.ts";

/** What Chromium itself writes to the console about a connection that broke. */
const brokenConnection = /net::ERR_|^WebSocket connection to /;

declare const shownLines: ReadonlySet<string>;

/** Runs in the page before anything else: notes what stands in the list after each change of the document. */
function keepWhatIsShown(): void {
  const lines = new Set<string>();
  const note = () => document.querySelectorAll("li").forEach(({ textContent }) => lines.add(textContent));
  new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true });
  Object.assign(globalThis, { shownLines: lines });
}

export class PageSeat implements Seat {
  readonly #page: Page;
  readonly #problems: string[] = [];

  private constructor(page: Page) {
    this.#page = page;
    page.on("pageerror", (error) => this.#problems.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error" && !brokenConnection.test(message.text())) this.#problems.push(message.text());
    });
  }

  static async open(context: BrowserContext, url: string): Promise<PageSeat> {
    const page = await context.newPage();
    const seat = new PageSeat(page);
    await page.addInitScript(keepWhatIsShown);
    await page.goto(url);
    await seat.#ready();
    return seat;
  }

  list(): Promise<readonly string[]> {
    return this.#page.getByRole("listitem").allTextContents();
  }

  everShown(): Promise<readonly string[]> {
    return this.#page.evaluate(() => [...shownLines]);
  }

  async isBusy(): Promise<boolean> {
    return (await this.#page.getByRole("status").textContent()) !== "idle";
  }

  problems(): readonly string[] {
    return this.#problems;
  }

  async send(text: string): Promise<void> {
    const input = this.#page.getByRole("textbox");
    await input.fill(text);
    await input.press("Enter");
  }

  stop(): Promise<void> {
    return this.#press("Stop");
  }

  clear(): Promise<void> {
    return this.#press("Clear");
  }

  async reload(): Promise<void> {
    await this.#page.reload();
    await this.#ready();
  }

  close(): Promise<void> {
    return this.#page.close();
  }

  /** Not `click`, which waits for animation frames: a tab behind another gets one in a second. */
  #press(name: string): Promise<void> {
    return this.#page.getByRole("button", { name }).dispatchEvent("click");
  }

  #ready(): Promise<void> {
    return this.#page.getByRole("textbox").waitFor();
  }
}
