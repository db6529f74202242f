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
  /** Where a client gets the transcript when it opens; null: nothing is stored. */
  readonly list: "socket" | "http" | null;
}

const folder = "bench/side-by-side/workers";
const plain = { classes: ["Assistant"], dialect: plainDialect, query: "", apart: "assistant" } as const;
const peer = { classes: ["Assistant"], dialect: chatDialect, query: "", apart: "assistant", list: "socket" } as const;

export const troupe: Subject = {
  key: "troupe",
  title: "Troupe",
  main: `${folder}/troupe.ts`,
  classes: ["Assistant", "Apart", "StreamBuffer"],
  dialect: chatDialect,
  query: "?chat-capabilities=delta,cursor",
  apart: "apart",
  list: "socket",
};
export const floor1: Subject = {
  ...plain,
  key: "floor-1",
  title: "floor 1",
  main: `${folder}/floor-1.ts`,
  list: null,
};
export const floor2: Subject = {
  ...plain,
  key: "floor-2",
  title: "floor 2",
  main: `${folder}/floor-2.ts`,
  list: "socket",
};
export const think: Subject = { ...peer, key: "think", title: "`@cloudflare/think`", main: "bench/peers/think.mjs" };
export const aiChat: Subject = {
  ...peer,
  key: "ai-chat",
  title: "`@cloudflare/ai-chat`",
  list: "http",
  main: "bench/peers/ai-chat.mjs",
};

export interface Running {
  readonly subject: Subject;
  readonly runtime: Workerd;
  /** A socket to the conversation of this name; `apart`: one that joins no deltas. */
  open(name: string, options?: { readonly apart?: boolean }): Promise<Client>;
  /** The number of messages that a client has once it has opened the conversation of this name. */
  listed(name: string): Promise<number>;
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
  const open = (name: string, { apart = false } = {}): Promise<Client> => {
    const route = apart ? subject.apart : "assistant";
    return Client.open(`${runtime.url}/agents/${route}/${name}${subject.query}`, subject.dialect);
  };
  const get = async (path: string): Promise<string> => {
    const response = await fetch(`${runtime.url}/${path}`);
    const text = await response.text();
    if (!response.ok) throw new Error(`${subject.key} answered ${path} with ${response.status}: ${text}`);
    return text;
  };
  return {
    subject,
    runtime,
    open,
    listed: async (name) => {
      const byHttp = subject.list === "http" ? get(`agents/assistant/${name}/get-messages`) : null;
      const client = await open(name);
      if (byHttp === null) await client.list();
      const messages = byHttp === null ? client.listed : (JSON.parse(await byHttp) as unknown[]).length;
      client.close();
      return messages;
    },
    tell: async (path) => void (await get(path)),
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
