import { tool } from "ai";
import { describe, it } from "vitest";
import { z } from "zod";
import { DEFAULT_FLUSH_LIMITS } from "../src/actors/conversation/turn/segment-writer.ts";
import { stage } from "../test/harness/agents.ts";
import { ChatSocket } from "../test/harness/chat-socket.ts";
import { type Beat, finish, say, ScriptedModel, toolCall } from "../test/harness/scripted-model.ts";
import { type Cost, costOf } from "./cost.ts";
import { holdClock } from "./held-clock.ts";
import { ledgerOf } from "./ledger.ts";
import { type Pace, speakPaced } from "./paced-model.ts";

const clock = holdClock();
const client = { capabilities: "delta,cursor" };

/** The cost of one turn of a conversation that has had one before. */
async function turn(name: string, pace: Omit<Pace, "clock">): Promise<Cost> {
  const socket = await ChatSocket.open(name, client);
  await costOf(name, () => ask(socket, "first"));
  speakPaced(name, { ...pace, clock });
  return costOf(name, () => ask(socket, "measured"), socket);
}

async function ask(socket: ChatSocket, id: string): Promise<void> {
  socket.ask(id, "hi");
  await socket.ended(id);
}

/** Each delta passes on its own: as many chunks as deltas. */
function withoutJoining(name: string): string {
  stage(name).configure = (self) => (self.joinDeltasMs = 0);
  return name;
}

describe("a turn", () => {
  it("of 200 deltas in half a second costs a dozen rows, two alarms and three calls", async (test) => {
    const cost = await turn("cost-plain", { deltas: 200, ms: 500 });
    const ledger = ledgerOf(test, "200 deltas in 500 ms");
    ledger.atMost("rows written", cost.rows, 12, 18);
    ledger.atMost("alarms set", cost.alarms, 2, 2);
    ledger.atMost("actor calls", cost.calls, 3, 10);
    ledger.atMost("statements", cost.statements, 40);
    ledger.atMost("rows read", cost.rowsRead, 50);
    ledger.atMost("bytes received", cost.received, 9_000);
    ledger.atMost("bytes sent", cost.sent, 200);
  });

  it("costs one call and one row more for each flush window that it lasts longer", async (test) => {
    const short = await turn("cost-short", { deltas: 200, ms: 0 });
    const long = await turn("cost-long", { deltas: 200, ms: 10_000 });
    const windows = 10_000 / DEFAULT_FLUSH_LIMITS.ms;
    const ledger = ledgerOf(test, "the same over 10 s");
    ledger.show("rows written", long.rows);
    ledger.show("actor calls", long.calls);
    ledger.atMost("rows written more per flush window", (long.rows - short.rows) / windows, 1, 2);
    ledger.atMost("actor calls more per flush window", (long.calls - short.calls) / windows, 1, 1);
    ledger.atMost("alarms set", long.alarms, 2);
  });

  it("of 5,000 deltas in a burst costs hardly more than one of 200", async (test) => {
    const cost = await turn("cost-burst", { deltas: 5000, ms: 500, bunches: 100 });
    const ledger = ledgerOf(test, "5,000 deltas in 500 ms");
    ledger.atMost("rows written", cost.rows, 12, 60);
    ledger.atMost("actor calls", cost.calls, 3);
    ledger.atMost("frames received", cost.frames, 50);
  });

  it("of 5,000 chunks that nothing joins stays within the same bound", async (test) => {
    const cost = await turn(withoutJoining("cost-burst-apart"), { deltas: 5000, ms: 500, bunches: 100 });
    const ledger = ledgerOf(test, "5,000 deltas in 500 ms, joining off");
    ledger.atMost("rows written", cost.rows, 32, 60);
    ledger.atMost("actor calls", cost.calls, 22);
    ledger.atMost("frames received", cost.frames, 5_010);
  });
});

describe("a chunk", () => {
  it("costs no statement, no row and no actor call of its own", async (test) => {
    const few = await turn(withoutJoining("cost-few"), { deltas: 50, ms: 500, bunches: 50 });
    const more = await turn(withoutJoining("cost-more"), { deltas: 250, ms: 500, bunches: 50 });
    const ledger = ledgerOf(test, "250 chunks instead of 50 in 500 ms");
    ledger.atMost("further statements", more.statements - few.statements, 0);
    ledger.atMost("further rows written", more.rows - few.rows, 0);
    ledger.atMost("further rows read", more.rowsRead - few.rowsRead, 0);
    ledger.atMost("further actor calls", more.calls - few.calls, 0);
  });

  it("adds to the batches only when they are full", async (test) => {
    const few = await turn(withoutJoining("cost-batches-few"), { deltas: 50, ms: 500, bunches: 50 });
    const many = await turn(withoutJoining("cost-batches-many"), { deltas: 2500, ms: 500, bunches: 50 });
    const batches = Math.ceil(2500 / DEFAULT_FLUSH_LIMITS.chunks);
    const ledger = ledgerOf(test, "2,500 chunks instead of 50, per full batch");
    ledger.atMost("further actor calls", (many.calls - few.calls) / batches, 1);
    ledger.atMost("further rows written", (many.rows - few.rows) / batches, 1);
    ledger.atMost("further statements", (many.statements - few.statements) / batches, 2);
  });
});

describe("a step with a tool call", () => {
  it("costs one actor call and one row, which make its outcome durable", async (test) => {
    const plain = await toolTurn("cost-tools-0", 0);
    const withTools = await toolTurn("cost-tools-8", 8);
    const ledger = ledgerOf(test, "a further step with a tool call");
    ledger.atMost("actor calls", (withTools.calls - plain.calls) / 8, 1);
    ledger.atMost("rows written", (withTools.rows - plain.rows) / 8, 1);
    ledger.atMost("statements", (withTools.statements - plain.statements) / 8, 2);
  });
});

/** A turn of so many steps with one call of a server tool each, and a last one with text. */
async function toolTurn(name: string, steps: number): Promise<Cost> {
  const socket = await ChatSocket.open(name, client);
  await costOf(name, () => ask(socket, "first"));
  const echo = tool({ inputSchema: z.object({ n: z.number() }), execute: ({ n }) => `echo ${n}` });
  stage(name).tools = { echo };
  stage(name).model = new ScriptedModel((_, n) => (n < steps ? call(n) : say("done")));
  return costOf(name, () => ask(socket, "measured"), socket);
}

function* call(n: number): Generator<Beat> {
  yield* toolCall(`call-${n}`, "echo", { n });
  yield finish("tool-calls");
}
