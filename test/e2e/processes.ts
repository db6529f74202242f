/** Processes of our own, found by who started them, never by name alone. Linux. */
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { root } from "../house/sources.ts";

export interface Running {
  readonly pid: number;
  readonly parent: number;
  /** The file name of the executable. */
  readonly program: string;
  /** In ticks since the machine started; with the id it names a process for good, as ids are used again. */
  readonly startedAt: number;
}

/** A process may end while it is looked at; then it is left out. */
function look(pid: string): Running[] {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in brackets may contain spaces and brackets; the fields after the last one begin with the third.
    const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
    const program = basename(readlinkSync(`/proc/${pid}/exe`));
    return [{ pid: Number(pid), parent: Number(fields[1]), program, startedAt: Number(fields[19]) }];
  } catch (error) {
    if (error instanceof Error && "code" in error) return [];
    throw error;
  }
}

/** Every process that `pid` started, and what those started. */
export function descendants(pid: number): Running[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap(look);
  const family = new Set([pid]);
  // A child may stand before its parent in the list, so look until nobody new is found.
  for (let size = 0; size < family.size;) {
    size = family.size;
    for (const one of all) if (family.has(one.parent)) family.add(one.pid);
  }
  return all.filter((one) => one.pid !== pid && family.has(one.pid));
}

/** SIGKILLs a process found before, if it still runs. */
export function kill({ pid, startedAt }: Running): void {
  if (look(String(pid)).some((found) => found.startedAt === startedAt)) process.kill(pid, "SIGKILL");
}

/** A port of the loopback interface that nothing listens on at the moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** Starts an installed tool from the project's root. Its output is kept for error messages. */
export function startTool(name: string, args: readonly string[], options: SpawnOptions = {}): Tool {
  const settings = {
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_HIDE_BANNER: "true",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
  };
  const env = { ...process.env, ...options.env, ...settings };
  const file = join(root, "node_modules/.bin", name);
  const child = spawn(file, [...args], { cwd: root, ...options, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const keep = (data: Buffer): void => void (output = (output + data.toString()).slice(-20_000));
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  const ended = new Promise<number>((resolve) => {
    child.once("error", (error) => {
      output += error.message;
      resolve(-1);
    });
    child.once("close", (code) => resolve(code ?? -1));
  });
  return { child, ended, output: () => output };
}

export interface Tool {
  readonly child: ChildProcess;
  /** Resolves with the exit code; -1 when a signal ended it or it did not start. Never rejects. */
  readonly ended: Promise<number>;
  /** The last 20,000 characters it printed. */
  output(): string;
}

/** Resolves when `url` answers at all; rejects with the tool's output when it ends first, or takes too long. */
export async function untilAnswers(url: string, tool: Tool, withinMs = 90_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  const hasEnded = tool.ended.then(() => true);
  while (!(await answers(url))) {
    if (await Promise.race([hasEnded, soon()])) throw new Error(`ended before it answered:\n${tool.output()}`);
    if (Date.now() >= deadline) throw new Error(`${url} did not answer in time:\n${tool.output()}`);
  }
}

function soon(): Promise<false> {
  return new Promise((resolve) => setTimeout(resolve, 10, false));
}

async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).arrayBuffer();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
