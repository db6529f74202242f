/** Clients in tabs of a real browser. */
import type { BrowserContext, ConsoleMessage, Page } from "playwright-core";
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

/** Tabs that are taken again: a new one costs a process. */
export class Tabs {
  readonly #context: BrowserContext;
  readonly #idle: Page[] = [];

  private constructor(context: BrowserContext) {
    this.#context = context;
  }

  static async of(context: BrowserContext): Promise<Tabs> {
    await context.addInitScript(keepWhatIsShown);
    return new Tabs(context);
  }

  async open(url: string): Promise<Seat> {
    const page = this.#idle.pop() ?? (await this.#context.newPage());
    const seat = new PageSeat(page, () => this.#idle.push(page));
    await page.goto(url);
    await seat.ready();
    return seat;
  }
}

class PageSeat implements Seat {
  readonly #page: Page;
  readonly #left: () => void;
  readonly #problems: string[] = [];
  #isClosed = false;

  /** `left` is called when the tab is empty again. */
  constructor(page: Page, left: () => void) {
    this.#page = page;
    this.#left = left;
    page.on("pageerror", this.#failed);
    page.on("console", this.#logged);
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
    await this.ready();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#page.goto("about:blank");
    this.#page.off("pageerror", this.#failed);
    this.#page.off("console", this.#logged);
    this.#left();
  }

  ready(): Promise<void> {
    return this.#page.getByRole("textbox").waitFor();
  }

  readonly #failed = (error: Error): void => void this.#problems.push(String(error));

  readonly #logged = (message: ConsoleMessage): void => {
    if (message.type() === "error" && !brokenConnection.test(message.text())) this.#problems.push(message.text());
  };

  /** Not `click`, which waits for animation frames: a tab behind another gets one in a second. */
  #press(name: string): Promise<void> {
    return this.#page.getByRole("button", { name }).dispatchEvent("click");
  }
}
