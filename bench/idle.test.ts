import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { StreamBufferContract } from "../src/index.ts";
import { facet } from "../src/shared/platform/facet.ts";
import { stage } from "../test/harness/agents.ts";
import { ChatSocket, conversation, crash } from "../test/harness/chat-socket.ts";
import { gate, say, ScriptedModel } from "../test/harness/scripted-model.ts";
import { atRest, costOf } from "./cost.ts";
import { advanceIn, holdClock } from "./held-clock.ts";
import { ledgerOf } from "./ledger.ts";

const clock = holdClock();
const RETENTION_MS = 3_600_000;

interface Resting {
  /** Jobs of the Agent's queue, which its one alarm wakes the object for: what they are and when. */
  readonly jobs: readonly { readonly id: string; readonly time: number }[];
  readonly alarmMs: number | null;
  /** Timers that the conversation has not stopped. */
  readonly timers: number;
  /** Whether the StreamBuffer holds anything. */
  readonly hasStreams: boolean;
}

function resting(name: string): Promise<Resting> {
  return runInDurableObject(conversation(name), async (_, state) => ({
    jobs: state.storage.sql.exec<{ id: string; time: number }>("SELECT id, time FROM cf_agents_jobs").toArray(),
    alarmMs: await state.storage.getAlarm(),
    timers: clock.pending,
    hasStreams: (await facet<StreamBufferContract>(state, "StreamBuffer").sweep(0)).oldestMs !== null,
  }));
}

/** What a conversation at rest looks like while there is something to sweep: one job, and the alarm is its. */
function waitingForSweep(atMs: number): Pick<Resting, "jobs" | "alarmMs" | "timers"> {
  return { jobs: [{ id: "troupe-awake", time: atMs }], alarmMs: atMs, timers: 0 };
}

const asleep: Resting = { jobs: [], alarmMs: null, timers: 0, hasStreams: false };

/** Time goes on, for our clock and for the queue of the Agent, and the alarm fires. */
async function sleepUntilSwept(name: string): Promise<void> {
  await advanceIn(name, clock, RETENTION_MS + 1);
  vi.setSystemTime(clock.now());
  await runDurableObjectAlarm(conversation(name));
}

afterEach(() => void vi.useRealTimers());

/** Each way for a turn to end; resolves when everybody has been told. */
const endings: Readonly<Record<string, (name: string, socket: ChatSocket) => Promise<unknown>>> = {
  completed: async (name, socket) => {
    stage(name).model = new ScriptedModel(() => say("Hello"));
    socket.ask("r1", "hi");
    return socket.ended("r1");
  },
  failed: async (name, socket) => {
    stage(name).model = new ScriptedModel(() => say("Hel", new Error("the model broke")));
    socket.ask("r1", "hi");
    return socket.ended("r1");
  },
  aborted: async (name, socket) => {
    await startTalking(name, socket);
    socket.cancel("r1");
    return socket.ended("r1");
  },
  cleared: async (name, socket) => {
    await startTalking(name, socket);
    socket.clear();
    return socket.until((frame) => frame.type === "cf_agent_chat_clear");
  },
};

/** A turn that has said something and will say no more by itself. */
async function startTalking(name: string, socket: ChatSocket): Promise<void> {
  stage(name).model = new ScriptedModel(() => say("Hel", gate().passed, "lo"));
  socket.ask("r1", "hi");
  await socket.chunk("r1", 4);
}

describe("a conversation at rest", () => {
  it.for(Object.entries(endings))(
    "waits for nothing but its sweep when a turn has %s, and then for nothing",
    async ([ending, end]) => {
      const name = `rest-${ending}`;
      await end(name, await ChatSocket.open(name));
      await atRest(name);
      expect(await resting(name)).toMatchObject(waitingForSweep(clock.now() + RETENTION_MS));
      await sleepUntilSwept(name);
      expect(await resting(name)).toEqual(asleep);
    },
  );

  it("keeps one job when a second turn ends before the first is swept, and sweeps both", async () => {
    const name = "rest-two";
    const socket = await ChatSocket.open(name);
    socket.ask("r1", "hi");
    await socket.ended("r1");
    await atRest(name);
    await advanceIn(name, clock, RETENTION_MS / 2);
    socket.ask("r2", "again");
    await socket.ended("r2");
    await atRest(name);
    expect(await resting(name)).toMatchObject(waitingForSweep(clock.now() + RETENTION_MS));
    await sleepUntilSwept(name);
    expect(await resting(name)).toEqual(asleep);
  });

  it("comes to rest after it has died in the middle of a turn", async () => {
    const name = "rest-died";
    await startTalking(name, await ChatSocket.open(name));
    await crash(name);
    clock.forget();
    await atRest(name);
    expect((await resting(name)).jobs).toHaveLength(1);
    await sleepUntilSwept(name);
    expect(await resting(name)).toEqual(asleep);
  });

  it("writes nothing and sets no alarm while nobody asks it anything", async (test) => {
    const name = "rest-asked";
    const socket = await ChatSocket.open(name, { capabilities: "delta,cursor" });
    await endings["completed"]?.(name, socket);
    const cost = await costOf(name, () => socket.settled(), socket);
    const ledger = ledgerOf(test, "a probe of an idle conversation");
    ledger.atMost("rows written", cost.rows, 0);
    ledger.atMost("alarms set", cost.alarms, 0);
    ledger.atMost("actor calls", cost.calls, 0);
    ledger.atMost("statements", cost.statements, 2);
  });

  it("pays for a sweep once", async (test) => {
    const name = "rest-price";
    await endings["completed"]?.(name, await ChatSocket.open(name));
    await atRest(name);
    const cost = await costOf(name, () => sleepUntilSwept(name));
    const ledger = ledgerOf(test, "the sweep of one stream");
    ledger.atMost("rows written", cost.rows, 4);
    ledger.atMost("alarms set", cost.alarms, 2);
    ledger.atMost("actor calls", cost.calls, 1);
  });
});
