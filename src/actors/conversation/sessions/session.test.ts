import { describe, expect, it } from "vitest";
import { randomFrom } from "../../../../test/harness/random.ts";
import { seeds } from "../../../../test/harness/seeds.ts";
import { hears, live, nextSession, type Session, type SessionEvent } from "./session.ts";

const waiting: Session = { kind: "waiting" };
const offered = (requestId: string): Session => ({ kind: "offered", requestId });
const catching = (requestId: string): Session => ({ kind: "catching-up", requestId });

const sessions = { live, waiting, "offered a": offered("a"), "catching a": catching("a") } as const;
const events = {
  "offer a": { type: "offer", requestId: "a" },
  "offer b": { type: "offer", requestId: "b" },
  wait: { type: "wait" },
  "ack a": { type: "ack", requestId: "a" },
  "ack b": { type: "ack", requestId: "b" },
  "caught-up a": { type: "caught-up", requestId: "a" },
  "caught-up b": { type: "caught-up", requestId: "b" },
  "started a": { type: "started", requestId: "a" },
  "started b": { type: "started", requestId: "b" },
  idle: { type: "idle" },
} as const satisfies Record<string, SessionEvent>;

/** Every session by every event. */
const table: Record<keyof typeof events, Record<keyof typeof sessions, Session>> = {
  "offer a": { live: offered("a"), waiting: offered("a"), "offered a": offered("a"), "catching a": offered("a") },
  "offer b": { live: offered("b"), waiting: offered("b"), "offered a": offered("b"), "catching a": offered("b") },
  // Nothing runs when a session is told to wait: what it was offered has ended.
  wait: { live: waiting, waiting, "offered a": waiting, "catching a": waiting },
  "ack a": { live: catching("a"), waiting: catching("a"), "offered a": catching("a"), "catching a": catching("a") },
  "ack b": { live: catching("b"), waiting: catching("b"), "offered a": catching("b"), "catching a": catching("b") },
  "caught-up a": { live, waiting, "offered a": offered("a"), "catching a": live },
  "caught-up b": { live, waiting, "offered a": offered("a"), "catching a": catching("a") },
  "started a": { live, waiting: offered("a"), "offered a": live, "catching a": live },
  "started b": { live, waiting: offered("b"), "offered a": live, "catching a": live },
  idle: { live, waiting: live, "offered a": offered("a"), "catching a": catching("a") },
};

const cells = Object.entries(table).flatMap(([event, row]) =>
  Object.entries(row).map(([session, next]) => ({ session, event, next })),
);

describe("nextSession", () => {
  it.each(cells)("$session, $event", ({ session, event, next }) => {
    const before = sessions[session as keyof typeof sessions];
    expect(nextSession(before, events[event as keyof typeof events])).toEqual(next);
  });

  it.each(seeds(20))("leaves nobody deaf to a stream that starts, whatever came before (seed %i)", (seed) => {
    const random = randomFrom(seed);
    const all = Object.values(events) as [SessionEvent, ...SessionEvent[]];
    let session: Session = live;
    for (let step = 0; step < 200; step++) {
      session = nextSession(session, random.pick(all));
      const started = nextSession(session, { type: "started", requestId: "new" });
      expect(hears(started, "new") || started.kind === "offered").toBe(true);
      expect(hears(nextSession(nextSession(session, events["ack a"]), events["caught-up a"]), "a")).toBe(true);
    }
  });
});

describe("hears", () => {
  it.each([
    [live, true],
    [waiting, true],
    [offered("a"), false],
    [catching("a"), false],
    [offered("b"), true],
    [catching("b"), true],
  ] as const)("%o hears stream a: %s", (session, expected) => {
    expect(hears(session, "a")).toBe(expected);
  });
});
