/** What a piece of work costs: counted at the storage of every actor, at the stub of the StreamBuffer, and on the wire. */
import { runInDurableObject } from "cloudflare:test";
import { type Stage, stage } from "../test/harness/agents.ts";
import { type ChatSocket, conversation } from "../test/harness/chat-socket.ts";
import { countsOf, resetCounts } from "../test/harness/counters.ts";

export interface Cost {
  /** SQL statements of all actors. */
  readonly statements: number;
  /** Rows written by all actors, index rows and the Agent's own included. */
  readonly rows: number;
  readonly rowsRead: number;
  readonly alarms: number;
  /** Calls from the Conversation to its StreamBuffer. */
  readonly calls: number;
  /** Bytes of frames that the measured socket sent and received. */
  readonly sent: number;
  readonly received: number;
  readonly frames: number;
}

/** What `work` costs a conversation, everything counted that happens until no turn runs any more. */
export async function costOf(name: string, work: () => Promise<unknown>, socket?: ChatSocket): Promise<Cost> {
  const labels = [`conversation:${name}`, `buffer:${name}`];
  resetCounts(...labels);
  const before = { calls: callsOf(stage(name)), ...wire(socket) };
  await work();
  await atRest(name);
  const counts = labels.map(countsOf);
  const sum = (pick: (count: (typeof counts)[number]) => number) => counts.reduce((all, one) => all + pick(one), 0);
  const after = wire(socket);
  return {
    statements: sum((one) => one.statements),
    rows: sum((one) => one.rowsWritten),
    rowsRead: sum((one) => one.rowsRead),
    alarms: sum((one) => one.alarms),
    calls: callsOf(stage(name)) - before.calls,
    sent: after.sent - before.sent,
    received: after.received - before.received,
    frames: after.frames - before.frames,
  };
}

/** Resolves when no turn runs or waits: an ending is told before the last row of its turn is written. */
export async function atRest(name: string): Promise<void> {
  while (await runInDurableObject(conversation(name), (self) => self.isStreaming)) continue;
}

function callsOf({ calls }: Stage): number {
  return Object.values(calls).reduce((all, one) => all + one, 0);
}

function wire(socket: ChatSocket | undefined): { sent: number; received: number; frames: number } {
  return { sent: 0, received: 0, ...socket?.bytes, frames: socket?.frames.length ?? 0 };
}
