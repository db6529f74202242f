/**
 * The Workers runtime itself as a child process, without wrangler around it: starts in half a second, dies by
 * SIGKILL, and starts again on the same port with the same storage.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { root } from "../house/sources.ts";
import { freePort, startTool, type Tool, untilAnswers } from "./processes.ts";

export interface Workerd {
  /** The process that runs now. */
  pid(): number;
  /** `http://127.0.0.1:<port>`, the same over restarts. */
  readonly url: string;
  /** What the runtime printed last. */
  output(): string;
  /** SIGKILLs the runtime and waits until it is gone. */
  kill(): Promise<void>;
  /** Starts it again after `kill`. */
  start(): Promise<void>;
  /** Kills it and deletes bundle and storage. */
  stop(): Promise<void>;
}

interface WorkerConfig {
  readonly main: string;
  readonly compatibility_date: string;
  readonly compatibility_flags: readonly string[];
  readonly durable_objects: { readonly bindings: readonly { readonly name: string; readonly class_name: string }[] };
}

/** Bundles the Worker of a folder under `test/e2e` (server.ts, wrangler.jsonc) and runs it. */
export function startWorkerd(folder: string): Promise<Workerd> {
  return startConfigured(join(root, "test/e2e", folder, "wrangler.jsonc"));
}

/** The same for any Worker: `configFile` is its wrangler configuration. `options` go to the runtime. */
export async function startConfigured(configFile: string, options: readonly string[] = []): Promise<Workerd> {
  const target = mkdtempSync(join(tmpdir(), "troupe-workerd-"));
  await bundle(configFile, target);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  mkdirSync(join(target, "storage"));
  writeFileSync(join(target, "config.capnp"), runtimeConfig(readConfig(configFile), target, port));
  const start = async (): Promise<Tool> => {
    const tool = startTool("workerd", ["serve", "--experimental", ...options, join(target, "config.capnp")]);
    await untilAnswers(url, tool);
    return tool;
  };
  let tool = await start();
  return {
    url,
    pid: () => tool.child.pid ?? 0,
    output: () => tool.output(),
    kill: () => kill(tool),
    start: async () => void (tool = await start()),
    stop: async () => {
      await kill(tool);
      rmSync(target, { recursive: true, force: true });
    },
  };
}

async function kill({ child, ended }: Tool): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

async function bundle(configFile: string, target: string): Promise<void> {
  const tool = startTool("wrangler", ["deploy", "--dry-run", "--config", configFile, "--outdir", target]);
  if ((await tool.ended) !== 0) throw new Error(`Bundling failed:\n${tool.output()}`);
}

/** The file has no comments, so dropping trailing commas makes it JSON. */
function readConfig(file: string): WorkerConfig {
  return JSON.parse(readFileSync(file, "utf8").replace(/,(\s*[}\]])/g, "$1")) as WorkerConfig;
}

/** Strings of Cap'n Proto's text form are quoted as JSON's. */
const quote = (text: string): string => JSON.stringify(text);

function runtimeConfig(config: WorkerConfig, target: string, port: number): string {
  const { bindings } = config.durable_objects;
  const namespaces = bindings.map(
    ({ class_name: name }) => `(className = ${quote(name)}, uniqueKey = ${quote(name)}, enableSql = true)`,
  );
  const bound = bindings.map(
    ({ name, class_name: className }) => `(name = ${quote(name)}, durableObjectNamespace = ${quote(className)})`,
  );
  // wrangler brings this module along for `cloudflare:email`, which the Agent class imports.
  const email = `(name = "cloudflare-internal:email", internal = true,
    esModule = "export default { EmailMessage: class EmailMessage {} };")`;
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "storage", disk = (path = ${quote(join(target, "storage"))}, writable = true)),
  ],
  extensions = [(modules = [${email}])],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "${basename(config.main).replace(/\.\w+$/, ".js")}")],
  compatibilityDate = ${quote(config.compatibility_date)},
  compatibilityFlags = [${config.compatibility_flags.map(quote).join(", ")}],
  durableObjectNamespaces = [${namespaces.join(", ")}],
  durableObjectStorage = (localDisk = "storage"),
  bindings = [${bound.join(", ")}],
);
`;
}
