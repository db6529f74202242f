import { describe, expect, it } from "vitest";
import { inConversationDatabase } from "../../../../test/harness/conversation-databases.ts";
import { randomFrom } from "../../../../test/harness/random.ts";
import { seeds } from "../../../../test/harness/seeds.ts";
import { counted } from "../../../../test/harness/counted-database.ts";
import type { Database } from "../../../shared/platform/database.ts";
import { type TurnRecord, TurnLog } from "./turn-log.ts";
import { nextTurnState, OPEN_STATES, TURN_EVENTS, type TurnState } from "./turn-state.ts";
import { segmentIdOf, streamIdOf, type Turn, type TurnEnding } from "./turn.ts";

const turn = (requestId: string, text = "hi"): Turn => ({
  turnId: `turn-${requestId}`,
  requestId,
  kind: "submit",
  messageId: `msg-${requestId}`,
  inputIds: [`${requestId}-user`],
  input: [{ id: `${requestId}-user`, role: "user", parts: [{ type: "text", text }] }],
  answers: null,
  clientTools: [],
  body: { mood: "good" },
  principal: { user: "anna" },
  continueWhenSettled: false,
});
const ending: TurnEnding = { state: "completed", messageIds: ["r1-user"] };
const ids = (records: readonly TurnRecord[]) => records.map((record) => record.turn.requestId);

describe("TurnLog", () => {
  it("gives a record back as it was admitted, also in a new log over the same storage", () =>
    inConversationDatabase((db) => {
      const record = new TurnLog(db).admit(turn("r1"), "queued");
      const view = { segment: 1, requestId: "r1", turn: turn("r1"), ending: null };
      expect(record).toEqual({ seq: 1, state: "queued", attempts: 0, ...view });
      const again = new TurnLog(db);
      expect(again.byRequest("r1")).toEqual(record);
      expect(again.open()).toEqual([record]);
      expect(again.byRequest("r2")).toBeNull();
    }));

  it("knows a turn by the ids of its segments: those that have ended tell it, and those to come are unknown", () =>
    inConversationDatabase((db) => {
      const log = new TurnLog(db);
      const first = log.admit({ ...turn("r1"), turnId: crypto.randomUUID() }, "running");
      const later = segmentIdOf(first.turn, 2);
      expect(log.advance(first, "pause")).toBe(true);
      expect(log.byRequest("r1")).toMatchObject({ state: "completed", segment: 1, ending: { state: "completed" } });
      expect(log.turnOf("r1")).toMatchObject({ state: "waiting", ending: null });
      expect(log.byRequest(later)).toBeNull();
      expect(log.advance({ ...first, state: "waiting" }, "resume")).toBe(true);
      expect(log.byRequest(later)).toMatchObject({ state: "running", segment: 2, requestId: later, ending: null });
      expect(log.byRequest("r1")).toMatchObject({ ending: { state: "completed" } });
      expect(log.recentStreams(9)).toEqual([streamIdOf(first.turn, 1), later]);
    }));

  it("takes a client's id for what it is, also where it looks like that of a segment", () =>
    inConversationDatabase((db) => {
      const log = new TurnLog(db);
      const id = `${crypto.randomUUID()}/3`;
      log.admit(turn(id), "running");
      expect(log.byRequest(id)).toMatchObject({ state: "running", segment: 1 });
    }));

  it("counts an attempt before a model is called: at admission or at the start", () =>
    inConversationDatabase((db) => {
      const log = new TurnLog(db);
      expect(log.admit(turn("r1"), "running").attempts).toBe(1);
      const queued = log.admit(turn("r2"), "queued");
      expect(log.advance(queued, "start")).toBe(true);
      expect(log.byRequest("r2")).toMatchObject({ state: "running", attempts: 1 });
    }));

  it("keeps the ending, and lets nobody move a turn on that has one", () =>
    inConversationDatabase((db) => {
      const log = new TurnLog(db);
      const record = log.admit(turn("r1"), "running");
      expect(log.advance(record, "finish", ending)).toBe(true);
      const ended = log.byRequest("r1") as TurnRecord;
      expect([ended.state, ended.ending]).toEqual(["completed", ending]);
      for (const event of TURN_EVENTS) {
        expect(log.advance(record, event, { ...ending, state: "failed" }), event).toBe(false);
        expect(log.advance(ended, event), event).toBe(false);
      }
      expect(log.byRequest("r1")).toEqual(ended);
    }));

  it("is a fence: who holds a record that was cleared or taken over writes nothing", () =>
    inConversationDatabase((db) => {
      const log = new TurnLog(db);
      const mine = log.admit(turn("r1"), "queued");
      expect(new TurnLog(db).advance(mine, "start")).toBe(true);
      expect(log.advance(mine, "start")).toBe(false);
      expect(log.advance(mine, "cancel", ending)).toBe(false);
      expect(log.byRequest("r1")).toMatchObject({ state: "running", ending: null });
      log.clear();
      expect(log.advance({ ...mine, state: "running" }, "finish", ending)).toBe(false);
      expect([log.byRequest("r1"), log.open()]).toEqual([null, []]);
    }));

  it("takes an admission back together with its transaction", () =>
    inConversationDatabase((db) => {
      const log = new TurnLog(db);
      const failing = () =>
        db.transaction(() => {
          log.admit(turn("r1"), "queued");
          throw new Error("the message could not be stored");
        });
      expect(failing).toThrow("could not be stored");
      expect(log.open()).toEqual([]);
    }));

  it("keeps large turns in pieces until they are cleared", () =>
    inConversationDatabase((db) => {
      const log = new TurnLog(db);
      const big = turn("r1", "é".repeat(2_000_000));
      log.admit(big, "queued");
      expect(new TurnLog(db).byRequest("r1")?.turn).toEqual(big);
      log.clear();
      expect(db.first<{ n: number }>("SELECT COUNT(*) AS n FROM turn_parts")?.n).toBe(0);
    }));

  it.each(["body = '{'", "body = NULL", "outcome = '{'", "body = ''"])(
    "counts a row damaged by %s as no record",
    (damage) =>
      inConversationDatabase((db) => {
        const log = new TurnLog(db);
        log.admit(turn("r1"), "running");
        log.admit(turn("r2"), "queued");
        db.run(`UPDATE turns SET ${damage} WHERE request_id = 'r1'`);
        expect([log.byRequest("r1"), ids(log.open())]).toEqual([null, ["r2"]]);
      }),
  );

  it.each(seeds(10))("finds every open turn and no other, after any history and any restart (seed %i)", (seed) =>
    inConversationDatabase((db) => walk(db, seed)),
  );

  it("reads only from the oldest open turn on, however long the log is", () =>
    inConversationDatabase((db) => {
      const counting = counted(db);
      const log = new TurnLog(counting.db);
      const costs = new Set<string>();
      for (let n = 0; n < 200; n++) {
        const record = log.admit(turn(`r${n}`), "running");
        log.advance(record, "finish", ending);
        const { statements, rowsWritten } = counting.take();
        if (n > 0) costs.add(`${statements} ${rowsWritten}`);
      }
      expect(costs.size).toBe(1);
      const oldest = db.first<{ oldest_open: number }>("SELECT oldest_open FROM turns ORDER BY seq DESC LIMIT 1");
      expect(oldest?.oldest_open).toBe(200);
    }));
});

/** A random history; a plain map says what the log should know. */
function walk(db: Database, seed: number): void {
  const random = randomFrom(seed);
  const states = new Map<string, TurnState>();
  let log = new TurnLog(db);
  for (let step = 0; step < 120; step++) {
    if (random.chance(0.1)) log = new TurnLog(db);
    if (random.chance(0.02)) {
      log.clear();
      states.clear();
    } else if (random.chance(0.4)) {
      const state = random.pick(["queued", "running"] as const);
      log.admit(turn(`r${step}`), state);
      states.set(`r${step}`, state);
    } else {
      const id = random.pick(["none", ...states.keys()]);
      const record = log.byRequest(id);
      const event = random.pick(TURN_EVENTS);
      const next = record === null ? null : nextTurnState(record.state, event);
      if (record !== null) expect(log.advance(record, event)).toBe(next !== null);
      if (next !== null) states.set(id, next);
    }
    const open = [...states].filter(([, state]) => OPEN_STATES.includes(state)).map(([id]) => id);
    expect(ids(log.open())).toEqual(open);
  }
}
