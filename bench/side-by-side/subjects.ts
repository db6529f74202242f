/** What stands side by side: each a Worker of its own, in a runtime process of its own. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../test/house/sources.ts";
import { startConfigured, type Workerd } from "../../test/e2e/workerd.ts";
import { Client } from "./client.ts";
import { chatDialect, type Dialect, plainDialect } from "./dialects.ts";

export interface Subject {
  readonly key: string;
  readonly title: string;
  /** The Worker's entry file, from the project's root. */
  readonly main: string;
  readonly classes: readonly string[];
  readonly dialect: Dialect;
  /** Goes behind the address of every socket. */
  readonly query: string;
  /** Route of the class that joins no deltas. */
  readonly apart: string;
  /** What it can do besides streaming; the floors do less. */
  readonly stores: boolean;
}

const folder = "bench/side-by-side/workers";
const plain = { classes: ["Assistant"], dialect: plainDialect, query: "", apart: "assistant" };
const peer = { classes: ["Assistant"], dialect: chatDialect, query: "", apart: "assistant", stores: true };

export const troupe: Subject = {
  key: "troupe",
  title: "Troupe",
  main: `${folder}/troupe.ts`,
  classes: ["Assistant", "Apart", "StreamBuffer"],
  dialect: chatDialect,
  query: "?chat-capabilities=delta,cursor",
  apart: "apart",
  stores: true,
};
export const floor1: Subject = {
  ...plain,
  key: "floor-1",
  title: "floor 1",
  main: `${folder}/floor-1.ts`,
  stores: false,
};
export const floor2: Subject = {
  ...plain,
  key: "floor-2",
  title: "floor 2",
  main: `${folder}/floor-2.ts`,
  stores: true,
};
export const think: Subject = { ...peer, key: "think", title: "`@cloudflare/think`", main: "bench/peers/think.mjs" };
export const aiChat: Subject = {
  ...peer,
  key: "ai-chat",
  title: "`@cloudflare/ai-chat`",
  main: "bench/peers/ai-chat.mjs",
};

export interface Running {
  readonly subject: Subject;
  readonly runtime: Workerd;
  /** A socket to the conversation of this name; `apart`: one that joins no deltas. */
  open(name: string, options?: { readonly apart?: boolean }): Promise<Client>;
  /** Asks the Worker for one of the bench's own routes, such as `seed/<name>?messages=10`. */
  tell(path: string): Promise<void>;
  stop(): Promise<void>;
}

/** Bundles a subject and starts its runtime. `options` go to the runtime. */
export async function start(subject: Subject, options: readonly string[] = []): Promise<Running> {
  const target = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  const configFile = join(target, "wrangler.json");
  writeFileSync(configFile, JSON.stringify(configOf(subject)));
  const runtime = await startConfigured(configFile, options);
  return {
    subject,
    runtime,
    open: (name, { apart = false } = {}) => {
      const route = apart ? subject.apart : "assistant";
      return Client.open(`${runtime.url}/agents/${route}/${name}${subject.query}`, subject.dialect);
    },
    tell: async (path) => {
      const response = await fetch(`${runtime.url}/${path}`);
      const text = await response.text();
      if (!response.ok) throw new Error(`${subject.key} answered ${path} with ${response.status}: ${text}`);
    },
    stop: async () => {
      await runtime.stop();
      rmSync(target, { recursive: true, force: true });
    },
  };
}

function configOf({ key, main, classes }: Subject): object {
  const peers = join(root, "bench/peers");
  return {
    name: `bench-${key}`,
    main: join(root, main),
    compatibility_date: "2026-06-11",
    compatibility_flags: ["nodejs_compat"],
    durable_objects: { bindings: classes.map((name) => ({ name, class_name: name })) },
    // The SDK imports these for its peers; they are installed beside those, or nowhere.
    alias: {
      "@cloudflare/codemode": join(peers, "node_modules/@cloudflare/codemode/dist/index.js"),
      "just-bash": join(peers, "absent.mjs"),
      chat: join(peers, "absent.mjs"),
    },
    migrations: [{ tag: "v1", new_sqlite_classes: classes }],
  };
}
