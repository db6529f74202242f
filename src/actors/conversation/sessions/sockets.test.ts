import type { Connection } from "agents";
import { describe, expect, it } from "vitest";
import { recordingConnection } from "../../../../test/harness/recording-connection.ts";
import { Sockets } from "./sockets.ts";

const frame = { type: "cf_agent_chat_clear" } as const;
const socket = (id: string) =>
  recordingConnection(id) as unknown as Connection & ReturnType<typeof recordingConnection>;

function socketsOf(open: Set<Connection>, isComplete = true) {
  const counted = { listings: 0 };
  const list = (): Iterable<Connection> => {
    counted.listings++;
    return open;
  };
  return { counted, sockets: new Sockets({ list, isComplete: () => isComplete }) };
}

describe("the sockets of a conversation", () => {
  it("are listed once for any number of chunks", () => {
    const one = socket("a");
    const { counted, sockets } = socketsOf(new Set([one]));
    for (let n = 0; n < 500; n++) sockets.broadcastStream("r1", frame);
    expect([one.frames.length, counted.listings]).toEqual([500, 1]);
  });

  it("hear from the first frame behind their admission to the last before their end", () => {
    const [first, second] = [socket("a"), socket("b")];
    const open = new Set<Connection>([first]);
    const { sockets } = socketsOf(open);
    sockets.broadcast(frame);
    open.add(second);
    sockets.hold(second);
    sockets.broadcast(frame);
    sockets.let(second);
    sockets.broadcast(frame);
    open.delete(first);
    sockets.forget(first);
    sockets.broadcast(frame);
    expect([first.frames.length, second.frames.length]).toEqual([3, 2]);
  });

  it("of a child are listed each time, for they come and go untold", () => {
    const [first, second] = [socket("a"), socket("b")];
    const open = new Set<Connection>([first]);
    const { sockets } = socketsOf(open, false);
    sockets.broadcast(frame);
    open.add(second);
    sockets.broadcast(frame);
    expect([first.frames.length, second.frames.length]).toEqual([2, 1]);
  });
});
