import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import type { UIMessage } from "ai";
import { beforeAll, describe, it } from "vitest";
import { PAGE_BYTES, PAGE_MESSAGES } from "../src/actors/conversation/transcript/view.ts";
import { ChatSocket, conversation } from "../test/harness/chat-socket.ts";
import { type Cost, costOf } from "./cost.ts";
import { holdClock } from "./held-clock.ts";
import { type Ledger, ledgerOf } from "./ledger.ts";
import { speakPaced } from "./paced-model.ts";

const clock = holdClock();
const client = { capabilities: "delta,cursor" };

/** Larger than the window when there are 2,000 of them: about 640 bytes of JSON each. */
function historyOf(length: number): UIMessage[] {
  return Array.from({ length }, (_, at) => ({
    id: `seed-${String(at).padStart(8, "0")}`,
    role: at % 2 === 0 ? "user" : "assistant",
    parts: [{ type: "text", text: `${at} `.padEnd(560, "x") }],
  }));
}

interface Measured {
  /** A socket opens on an object that has just woken up. */
  readonly wake: Cost;
  /** The first turn after that. */
  readonly cold: Cost;
  /** The turn after that. */
  readonly warm: Cost;
  readonly opening: { readonly messages: number; readonly bytes: number };
}

async function measure(length: number): Promise<Measured> {
  const name = `cost-behind-${length}`;
  await runInDurableObject(conversation(name), (self) => {
    self.messages = historyOf(length);
  });
  // The first turn of all makes tables; it is not what is measured.
  await turn(name, await ChatSocket.open(name, client), "r0");
  await evictDurableObject(conversation(name));
  let socket: ChatSocket | undefined;
  const wake = await costOf(name, async () => {
    socket = await ChatSocket.open(name, client);
    await socket.settled();
  });
  if (socket === undefined) throw new Error("no socket");
  const messages = socket.of("cf_agent_chat_messages")[0]?.messages.length ?? 0;
  const opening = { messages, bytes: socket.bytes.received };
  const cold = await turn(name, socket, "r1");
  const warm = await turn(name, socket, "r2");
  return { wake, cold, warm, opening };
}

function turn(name: string, socket: ChatSocket, id: string): Promise<Cost> {
  speakPaced(name, { clock, deltas: 200, ms: 500, bunches: 20 });
  const ask = async (): Promise<void> => {
    socket.ask(id, "hi");
    await socket.ended(id);
  };
  return costOf(name, ask, socket);
}

const names: Readonly<Record<keyof Cost, string>> = {
  statements: "statements",
  rows: "rows written",
  rowsRead: "rows read",
  alarms: "alarms set",
  calls: "actor calls",
  sent: "bytes sent",
  received: "bytes received",
  frames: "frames received",
};

/** 1: the same as a tenth, a hundredth or a thousandth of the history. */
function compare(ledger: Ledger, few: Cost, many: Cost, counted: readonly (keyof Cost)[]): void {
  for (const what of counted) ledger.atMost(`${names[what]}, as a ratio`, many[what] / few[what], 1.1, 1.1);
}

describe("a turn behind a long history", () => {
  const measured = new Map<number, Measured>();
  beforeAll(async () => {
    for (const length of [10, 2_000, 10_000]) measured.set(length, await measure(length));
  });
  const at = (length: number): Measured => {
    const found = measured.get(length);
    if (found === undefined) throw new Error(`nothing measured at ${length}`);
    return found;
  };

  it("writes, asks and sends the same as behind a short one", (test) => {
    const ledger = ledgerOf(test, "a turn behind 10,000 messages against 10");
    ledger.show("rows written behind 10,000", at(10_000).warm.rows);
    compare(ledger, at(10).warm, at(10_000).warm, ["rows", "statements", "calls", "alarms", "sent", "received"]);
  });

  it("does so as well after the object has slept", (test) => {
    const ledger = ledgerOf(test, "the same, the first turn after sleep");
    compare(ledger, at(10).cold, at(10_000).cold, ["rows", "statements", "calls", "alarms", "sent", "received"]);
  });

  it("reads no more once the window is full", (test) => {
    const ledger = ledgerOf(test, "a turn behind 10,000 messages against 2,000");
    ledger.show("rows read behind 10", at(10).warm.rowsRead);
    ledger.show("rows read behind 2,000", at(2_000).warm.rowsRead);
    compare(ledger, at(2_000).warm, at(10_000).warm, ["rowsRead", "statements", "received"]);
  });

  it("reads no more after the object has slept", (test) => {
    const ledger = ledgerOf(test, "the same, first turn after sleep");
    ledger.show("rows read behind 2,000", at(2_000).cold.rowsRead);
    compare(ledger, at(2_000).cold, at(10_000).cold, ["rowsRead", "statements", "received"]);
  });

  it("opens a socket with one page, however much there is", (test) => {
    const ledger = ledgerOf(test, "opening a socket behind 10,000 messages");
    ledger.atMost("messages in the first page", at(10_000).opening.messages, PAGE_MESSAGES);
    ledger.atMost("bytes received", at(10_000).opening.bytes, 40_000, PAGE_BYTES);
    ledger.atMost("rows read", at(10_000).wake.rowsRead, 500);
    ledger.atMost("rows written", at(10_000).wake.rows, 0);
    compare(ledger, at(2_000).wake, at(10_000).wake, ["statements", "rowsRead"]);
  });
});
