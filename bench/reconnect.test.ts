import { describe, expect, it } from "vitest";
import { stage } from "../test/harness/agents.ts";
import { ChatSocket, type ConnectOptions } from "../test/harness/chat-socket.ts";
import { gate } from "../test/harness/scripted-model.ts";
import { atRest } from "./cost.ts";
import { holdClock } from "./held-clock.ts";
import { ledgerOf } from "./ledger.ts";
import { DELTA, speakPaced } from "./paced-model.ts";

const clock = holdClock();

const client: ConnectOptions = { capabilities: "delta,cursor" };
/** Chunks before the first delta: start, start-step, text-start. */
const OPENING_CHUNKS = 3;

/** A turn in mid-air: `deltas` have been said, each as its own chunk; `finish` lets it end. */
async function talk(name: string, deltas: number): Promise<{ watcher: ChatSocket; finish(): Promise<void> }> {
  const held = gate();
  stage(name).configure = (self) => (self.joinDeltasMs = 0);
  speakPaced(name, { clock, deltas, ms: 1_000, bunches: deltas / 100, held: held.passed });
  const watcher = await ChatSocket.open(name, client);
  watcher.ask("r1", "hi");
  await seen(watcher, OPENING_CHUNKS + deltas);
  const finish = async (): Promise<void> => {
    held.open();
    await watcher.ended("r1");
    await atRest(name);
  };
  return { watcher, finish };
}

async function seen(socket: ChatSocket, seq: number): Promise<void> {
  await socket.until((frame) => "seq" in frame && frame.seq === seq);
}

/** Opens a socket, acknowledges the stream, and tells what came until the replay was complete or the turn had ended. */
async function catchUp(name: string, options: ConnectOptions, after?: number) {
  const socket = await ChatSocket.open(name, options);
  await socket.settled();
  const opening = socket.bytes.received;
  socket.send({ type: "cf_agent_stream_resume_ack", id: "r1", ...(after === undefined ? {} : { after }) });
  await socket.until(
    (frame) => frame.type === "cf_agent_use_chat_response" && (frame.done || frame.replayComplete === true),
  );
  const frames = socket.responses("r1");
  return { socket, opening, replay: socket.bytes.received - opening, frames };
}

/** The bytes of one delta as it comes live. */
function liveDeltaBytes(watcher: ChatSocket): number {
  const frame = watcher.responses("r1")[OPENING_CHUNKS + 1_000];
  return JSON.stringify(frame).length;
}

/** The text of every delta of the turn that the socket has seen. */
function textOfChunks(socket: ChatSocket): string {
  return socket
    .chunks("r1")
    .map((chunk) => (chunk.type === "text-delta" ? chunk.delta : ""))
    .join("");
}

describe("a socket that comes back with a cursor", () => {
  it("gets what it lacks of a running stream, in far fewer bytes than it took live", async (test) => {
    const { watcher, finish } = await talk("back-running", 5_000);
    const { socket, opening, replay } = await catchUp("back-running", client, OPENING_CHUNKS + 4_900);
    const perDelta = liveDeltaBytes(watcher);
    const ledger = ledgerOf(test, "back after 4,900 of 5,000 deltas");
    ledger.show("bytes of a live delta", perDelta);
    ledger.atMost("replay, in live deltas' worth of bytes", replay / perDelta, 10, 200);
    ledger.atMost("with the opening frames", (opening + replay) / perDelta, 20, 200);
    expect(textOfChunks(socket)).toBe(DELTA.repeat(100));
    await finish();
  });

  it("gets as little of a stream that has ended meanwhile", async (test) => {
    const { watcher, finish } = await talk("back-ended", 5_000);
    await finish();
    const { replay } = await catchUp("back-ended", client, OPENING_CHUNKS + 4_900);
    const ledger = ledgerOf(test, "the same, the turn has ended meanwhile");
    ledger.atMost("replay, in live deltas' worth of bytes", replay / liveDeltaBytes(watcher), 15, 200);
  });
});

describe("a socket that comes back without a cursor", () => {
  it.for([
    ["with our client", client],
    ["with a stock client", {}],
  ] as const)("gets 2,500 deltas in a few frames (%s)", async ([kind, options], test) => {
    const name = `back-whole-${kind.replaceAll(" ", "-")}`;
    const { watcher, finish } = await talk(name, 2_500);
    const ledger = ledgerOf(test, `replay of 2,500 deltas, ${kind}`);
    const running = await catchUp(name, options);
    expect(running.socket.folded("r1")).toEqual(watcher.folded("r1"));
    ledger.atMost("frames while the stream runs", running.frames.length, 8, 60);
    ledger.atMost("bytes against the text alone", running.replay / (2_500 * DELTA.length), 1.2);
    await finish();
    const ended = await catchUp(name, options);
    expect(ended.socket.folded("r1")).toEqual(watcher.folded("r1"));
    ledger.atMost("frames after the turn has ended", ended.frames.length, 10, 60);
  });
});
