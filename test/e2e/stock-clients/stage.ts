/** One server, one browser, one provider in the test's hand, and a wire that can be cut, for all clients. */
import { join } from "node:path";
import type { UIMessage } from "ai";
import type { Browser } from "playwright-core";
import { build, type Plugin } from "vite";
import { root } from "../../house/sources.ts";
import { type LocalServer, openChromium, startWrangler } from "../harness.ts";
import { HeldProvider } from "../held-provider.ts";
import type { ClientId } from "./clients.ts";
import { CurlSeat } from "./curl-seat.ts";
import { CuttingProxy } from "./cutting-proxy.ts";
import { Tabs } from "./page-seat.ts";
import type { Scene } from "./capabilities.ts";
import { asLine, type Seat } from "./seat.ts";

export class Stage {
  readonly #provider: HeldProvider;
  readonly #server: LocalServer;
  readonly #browser: Browser;
  readonly #tabs: Tabs;
  readonly #wire: CuttingProxy;
  readonly #seats = new Set<Seat>();

  private constructor(provider: HeldProvider, server: LocalServer, browser: Browser, tabs: Tabs, wire: CuttingProxy) {
    this.#provider = provider;
    this.#server = server;
    this.#browser = browser;
    this.#tabs = tabs;
    this.#wire = wire;
  }

  static async open(): Promise<Stage> {
    await buildPage();
    const provider = await HeldProvider.start();
    const server = await startWrangler({ config: "test/e2e/stock/wrangler.jsonc", vars: provider.vars });
    const browser = await openChromium();
    const wire = await CuttingProxy.start(Number(new URL(server.url).port));
    return new Stage(provider, server, browser, await Tabs.of(await browser.newContext()), wire);
  }

  /** The origin of the server, over the wire that can be cut. */
  get url(): string {
    return this.#wire.url;
  }

  /** One client at the conversation with this name. */
  scene(client: ClientId, name: string): Scene {
    return {
      provider: this.#provider,
      open: () => this.#seat(client, name),
      stored: () => this.#stored(name),
      cut: () => this.#wire.cut(),
      whileDown: (act) => this.#wire.whileDown(act),
    };
  }

  async #seat(client: ClientId, name: string): Promise<Seat> {
    const seat =
      client === "curl"
        ? await CurlSeat.open(`${this.#wire.url}/agents/assistant/${name}`)
        : await this.#tabs.open(`${this.#wire.url}/?client=${client}&name=${name}`);
    this.#seats.add(seat);
    return seat;
  }

  async #stored(name: string): Promise<string[]> {
    const response = await fetch(`${this.#server.url}/agents/assistant/${name}/get-messages`);
    return ((await response.json()) as UIMessage[]).map(asLine);
  }

  /** Closes the clients of a test and gives what they have reported as errors. */
  async strike(): Promise<string[]> {
    const problems = [...this.#seats].flatMap((seat) => seat.problems());
    await Promise.all([...this.#seats].map((seat) => seat.close()));
    this.#seats.clear();
    this.#provider.reset();
    return problems;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.#wire.stop();
    await this.#server.stop();
    await this.#provider.stop();
  }
}

/** What is imported from a peer is looked for where the peers are installed. */
const fromPeers: Plugin = {
  name: "from-peers",
  resolveId(source) {
    if (!/^@cloudflare\/(ai-chat|think)(\/|$)/.test(source)) return null;
    return this.resolve(source, join(root, "bench/peers/package.json"), { skipSelf: true });
  },
};

async function buildPage(): Promise<void> {
  await build({
    configFile: false,
    logLevel: "error",
    root: join(root, "test/e2e/stock"),
    plugins: [fromPeers],
    // React's development build, which reports more.
    define: { "process.env.NODE_ENV": JSON.stringify("development") },
    build: { outDir: join(root, "dist/stock"), emptyOutDir: true, minify: true },
  });
}
