/**
 * `npm start`: builds the page and runs the assistant on this machine, at the first free port from 8787.
 *
 *   npm start                  PORT=3000 npm start          npm start -- --port 3000
 *
 * Keys of a model provider in the environment reach the Worker through a file only this user can read, deleted at
 * the end; nothing prints them. Conversations persist under .wrangler/state. Ctrl-C stops everything.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureInstalled, root, toolEnvironment } from "./ensure.mjs";
import { run } from "./steps.mjs";

const host = "127.0.0.1";
const firstPort = 8787;
const readyWithinMs = 120_000;
/** What the Worker sees of this environment: the variables of model providers. */
const passedOn = /^(OPENAI|ANTHROPIC|WORKERS_AI)_\w+$/;
/** No usage data, no banner, no log file, and no call to Cloudflare for where a request comes from: it works offline. */
const wranglerSettings = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_WRITE_LOGS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
};

/** @param {number} port */
function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** The port asked for, which must be free, or the first free one from 8787. */
async function choosePort() {
  const { values } = parseArgs({ options: { port: { type: "string", short: "p" } } });
  const asked = values.port ?? process.env["PORT"];
  if (asked === undefined || asked === "") {
    for (let port = firstPort; port < firstPort + 100; port += 1) if (await isFree(port)) return port;
    throw new Error(`No port is free between ${firstPort} and ${firstPort + 99}; name one with --port.`);
  }
  const port = Number(asked);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`Not a port: ${asked}`);
  if (!(await isFree(port))) throw new Error(`Port ${port} on ${host} is taken; choose another with --port.`);
  return port;
}

/**
 * Writes the variables for the Worker in dotenv form. Values stand in quotes they do not contain, so that no other
 * character of a key is special; `$` would name another variable.
 * @param {string} file
 */
function writeVariables(file) {
  const lines = Object.entries(process.env).flatMap(([name, value]) => {
    if (!passedOn.test(name) || !value) return [];
    const quote = ["'", "`", '"'].find((mark) => !value.includes(mark)) ?? "'";
    return [`${name}=${quote}${value.replaceAll("$", "\\$")}${quote}`];
  });
  writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600 });
}

/**
 * @param {number} port
 * @param {string} variablesFile
 */
function startServer(port, variablesFile) {
  // Later files win: what stands in the environment of this run is the most recent word.
  const files = [".env", ".dev.vars"].map((name) => join(root, name)).filter((file) => existsSync(file));
  const envFiles = [...files, variablesFile].flatMap((file) => ["--env-file", file]);
  const address = ["--ip", host, "--port", String(port), "--inspector-port", "0"];
  const quiet = ["--show-interactive-dev-session=false", "--log-level=warn"];
  return spawn("wrangler", ["dev", ...address, ...envFiles, ...quiet], {
    cwd: root,
    env: { ...toolEnvironment(), ...wranglerSettings },
    stdio: ["ignore", "inherit", "inherit"],
  });
}

/**
 * Asks the server which model it uses until it answers; null when it ended before, or took too long.
 * @param {string} url
 * @param {AbortSignal} ended
 * @returns {Promise<{ name: string, source: string, note?: string } | null>}
 */
async function askForModel(url, ended) {
  const deadline = AbortSignal.any([ended, AbortSignal.timeout(readyWithinMs)]);
  while (!deadline.aborted) {
    const response = await fetch(`${url}/api/model`, { signal: deadline }).catch(() => null);
    if (response?.ok) return await response.json();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return null;
}

/** @returns {Promise<number>} the exit code */
async function main() {
  ensureInstalled();
  const port = await choosePort();
  const built = await run({ name: "build the page", command: "vite", args: ["build", "--logLevel", "warn"] });
  if (built !== 0) return built;

  const folder = mkdtempSync(join(tmpdir(), "troupe-start-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const variablesFile = join(folder, "variables");
  writeVariables(variablesFile);

  console.log("\n▸ start the server");
  const server = startServer(port, variablesFile);
  const ended = new AbortController();
  let stopping = false;
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => {
      stopping = true;
      server.kill("SIGTERM");
    });
  }
  const exit = new Promise((resolve) => {
    server.once("error", (error) => {
      console.error(`wrangler did not start: ${error.message}`);
      resolve(1);
    });
    server.once("exit", (code) => resolve(stopping ? 0 : (code ?? 1)));
  });
  void exit.then(() => ended.abort());

  const url = `http://${host}:${port}`;
  const model = await askForModel(url, ended.signal);
  if (model !== null) {
    console.log(`\n  Troupe runs at ${url}`);
    console.log(`  Model: ${model.source === "demo" ? "demo (built in)" : `${model.name} (${model.source})`}`);
    if (model.note) console.log(`  ${model.note}`);
    console.log("  Stop with Ctrl-C.\n");
  } else if (!ended.signal.aborted) {
    console.error(`The server did not answer within ${readyWithinMs / 1000} s.`);
    server.kill("SIGTERM");
  }
  return await exit;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
