/**
 * Random walks over network schedules: clients of one conversation, whose
 * sockets drop and overlap, whose frames are late, doubled and lost, while
 * turns run, fail, are stopped, repeated and cleared, and the server dies.
 * Of the 2,000 schedules these are seven parts of eight; in the eighth, in
 * `react-walk.test.tsx`, the tabs are React's. `WALK_SEED=<n>` repeats one,
 * `WALK_SCHEDULES=<n>` walks another number of them.
 */
import { describe, it } from "vitest";
import { ChatClient } from "../chat-client.ts";
import { type Part, seedsOf, walk } from "./schedules.ts";
import type { Face, Tab } from "./tab.ts";

const calm = { leaves: 4, batches: 5, dies: 0, reads: 10 };

const parts: readonly Part[] = [
  { number: 0, title: "two tabs on a line that drops", weather: { ...calm, leaves: 0 } },
  { number: 1, title: "sockets that overlap", weather: { ...calm, leaves: 50 } },
  { number: 2, title: "a tab opened twice, which makes the same ids", weather: calm, tabs: ["a", "a"] },
  { number: 3, title: "a slow line that goes dead", weather: { leaves: 4, batches: 60, dies: 20, reads: 10 } },
  { number: 4, title: "tabs that are told whole lists", weather: calm, hasDelta: false },
  {
    number: 5,
    title: "a conversation that is trimmed, with a short line",
    weather: { ...calm, reads: 40 },
    server: { keeps: 6, line: 2, pageSize: 2 },
  },
  { number: 6, title: "a server that goes on with turns that were cut", weather: calm, server: { isRecovering: true } },
];

describe("a client on a bad network", () => {
  it.each(parts.map((part) => [part.title, part] as const))(
    "shows at rest what the server has, and ends each request once: %s",
    async (_, part) => {
      for (const seed of seedsOf(part.number, process.env)) await walk(seed, part, clientFace);
    },
  );
});

function clientFace(tab: Tab): Face {
  const client = new ChatClient({ agent: "assistant", name: "walk", ...tab.options() });
  client.subscribe(() => tab.witness.look(client.getSnapshot()));
  client.connect();
  return {
    get view() {
      return client.getSnapshot();
    },
    send: (text) => void client.send(text),
    stop: () => client.stop(),
    retry: () => client.retry(),
    clear: () => client.clear(),
    loadOlder: () => client.loadOlder(),
    leave: (way) => (way === 0 ? client.connect() : client.close()),
    comeBack: () => client.connect(),
  };
}
