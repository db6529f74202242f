/**
 * The real thing for browser and end-to-end tests: `wrangler dev` with its runtime, and Chromium.
 *
 *     const server = await startWrangler({ config: "wrangler.jsonc", vars: { KEY: "value" } });
 *     const browser = await openChromium();
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { findChromium } from "../../scripts/ensure.mjs";
import { descendants, freePort, kill, type Running, startTool, type Tool, untilAnswers } from "./processes.ts";

export interface LocalServerOptions {
  /** A wrangler configuration, from the project's root. */
  readonly config: string;
  /** Variables of the Worker. Visible in the process list; for tests only. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Default: a free one. */
  readonly port?: number;
}

export interface LocalServer {
  /** `http://127.0.0.1:<port>`, the same over restarts. */
  readonly url: string;
  /** What wrangler printed last. */
  output(): string;
  /** SIGKILLs the runtime, as a machine that dies would; storage stays as it is at that moment. */
  killRuntime(): void;
  /** Starts again on the same port with the same storage; whatever still runs is stopped before. */
  restart(): Promise<void>;
  /** Ends everything and deletes the storage. */
  stop(): Promise<void>;
}

/** Starts `wrangler dev` and resolves when it answers. */
export async function startWrangler(options: LocalServerOptions): Promise<LocalServer> {
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const storage = mkdtempSync(join(tmpdir(), "troupe-e2e-"));
  const start = async (): Promise<Tool> => {
    const tool = startTool("wrangler", wranglerArguments(options, port, storage));
    await untilAnswers(url, tool);
    return tool;
  };
  let tool = await start();
  return {
    url,
    output: () => tool.output(),
    killRuntime: () => runtimesOf(tool).forEach(kill),
    restart: async () => {
      await end(tool);
      tool = await start();
    },
    stop: async () => {
      await end(tool);
      rmSync(storage, { recursive: true, force: true });
    },
  };
}

function wranglerArguments({ config, vars = {} }: LocalServerOptions, port: number, storage: string): string[] {
  const address = ["--ip", "127.0.0.1", "--port", String(port), "--inspector-port", "0"];
  const variables = Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const quiet = ["--show-interactive-dev-session=false", "--log-level=warn"];
  return ["dev", "--config", config, "--persist-to", storage, ...address, ...variables, ...quiet];
}

const runtimesOf = ({ child }: Tool): Running[] =>
  child.pid === undefined ? [] : descendants(child.pid).filter(({ program }) => program === "workerd");

/** Asks wrangler to end, for five seconds, and makes sure that its runtime has ended too. */
async function end(tool: Tool): Promise<void> {
  const runtimes = runtimesOf(tool);
  tool.child.kill("SIGTERM");
  const timer = setTimeout(() => tool.child.kill("SIGKILL"), 5_000);
  await tool.ended;
  clearTimeout(timer);
  runtimes.forEach(kill);
}

/** A headless Chromium, with nothing that reaches for the network on its own. Close it when done. */
export function openChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    throw new Error("No Chromium found. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.");
  }
  const alone = ["--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  const args = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage", ...alone];
  return chromium.launch({ executablePath, args, headless: true });
}
