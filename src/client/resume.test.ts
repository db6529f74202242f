import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import type { ServerFrame } from "../shared/server-frames.ts";
import type { ClientFrame } from "../shared/wire.ts";
import { CHAT_MESSAGE_TYPES as T } from "../shared/wire-words.ts";
import { type ChatEvent, step } from "./chat-machine.ts";
import { type ChatState, type Effect, emptyChat } from "./chat-state.ts";
import { PROBE_MS, QUIET_MS } from "./resume.ts";
import { viewOf } from "./view.ts";

const user = (id: string): UIMessage => ({ id, role: "user", parts: [{ type: "text", text: "Hi" }] });
const opened: ChatEvent = { type: "opened" };
const frame = (frame: ServerFrame): ChatEvent => ({ type: "frame", frame });
const page = frame({ type: T.CHAT_MESSAGES, messages: [], connect: true });
const none = (probeId: string) => frame({ type: T.STREAM_RESUME_NONE, reason: "idle", probeId });
const none3 = { type: T.STREAM_RESUME_NONE, reason: "idle", probeId: "probe-3" } as const;
const pending = (probeId: string) => frame({ type: T.STREAM_PENDING, probeId });
const resuming = (id: string, probeId?: string) =>
  frame({ type: T.STREAM_RESUMING, id, ...(probeId === undefined ? {} : { probeId }) });
const chunk = (id: string, seq: number) =>
  frame({ type: T.USE_CHAT_RESPONSE, id, body: '{"type":"text-start","id":"t"}', done: false, seq });
const submit = (requestId: string): ChatEvent => ({ type: "submit", requestId, messages: [user(`u-${requestId}`)] });

function run(events: readonly ChatEvent[], from: ChatState = emptyChat) {
  const effects: Effect[] = [];
  let state = from;
  for (const event of events) {
    state = step(state, event);
    effects.push(...state.outbox);
  }
  const sent = effects.flatMap((effect): ClientFrame[] => (effect.type === "send" ? [effect.frame] : []));
  return { state, effects, sent };
}

const view = (state: ChatState) => viewOf(state, "open", null);

/** The event of the last alarm of a kind that was asked for. */
function ring(effects: readonly Effect[], kind: "probe" | "quiet"): ChatEvent {
  const alarm = effects.findLast((effect) => effect.type === "alarm" && effect.kind === kind);
  if (alarm?.type !== "alarm") throw new Error(`no ${kind} alarm`);
  return { type: "timeout", kind };
}

const probes = (sent: readonly ClientFrame[]) =>
  sent.flatMap((frame) => (frame.type === T.STREAM_RESUME_REQUEST ? [frame.probeId] : []));

describe("a probe", () => {
  it.each<[string, ChatEvent[]]>([
    ["ready", [opened, page, none("probe-1")]],
    ["submitted", [opened, page, none("probe-1"), submit("r1")]],
    ["streaming", [opened, page, none("probe-1"), chunk("r1", 1)]],
    [
      "error",
      [opened, none("probe-1"), frame({ type: T.USE_CHAT_RESPONSE, id: "r1", body: "No.", done: true, error: true })],
    ],
  ])("T58: is sent on every open, also when the client is %s", (_, events) => {
    expect(probes(run([...events, { type: "closed" }, opened]).sent)).toEqual(["probe-1", "probe-2"]);
  });

  it("that is sent again has an offer acknowledged again, for the server holds the stream back", () => {
    const before = run([opened, resuming("r1"), page]);
    const { sent } = run([ring(before.effects, "probe"), resuming("r1", "probe-1")], before.state);
    expect(sent.map(({ type }) => type)).toEqual([T.STREAM_RESUME_REQUEST, T.STREAM_RESUME_ACK]);
  });

  it("is sent again, as the same question, when five seconds bring no answer", () => {
    const before = run([opened, page]);
    expect(before.effects).toContainEqual(expect.objectContaining({ type: "alarm", kind: "probe", ms: 5_000 }));
    expect(PROBE_MS).toBe(5_000);
    const again = run([ring(before.effects, "probe")], before.state);
    expect(probes(again.sent)).toEqual(["probe-1"]);
    const { state } = run([none("probe-1")], again.state);
    expect(view(state).status).toBe("ready");
    expect(probes(run([ring(again.effects, "probe")], state).sent)).toEqual([]);
  });

  it("says that the server is silent after two that were not answered, until it is not", () => {
    let last = run([opened, page]);
    for (const silent of [false, true, true]) {
      last = run([ring(last.effects, "probe")], last.state);
      expect(view(last.state).connectionError?.reason).toBe(silent ? "silent" : undefined);
    }
    expect(view(run([none("probe-1")], last.state).state).connectionError).toBeNull();
  });

  it("T57: of a socket before this one counts for nothing", () => {
    const before = run([opened, page, { type: "closed" }, opened, submit("r1")]);
    const { sent, state } = run([none("probe-1")], before.state);
    expect(sent).toEqual([]);
    expect(view(state).status).toBe("submitted");
    expect(run([none("probe-2")], before.state).sent).toMatchObject([{ id: "r1" }]);
  });

  it("T50: answered late with nothing touches no answer that began meanwhile", () => {
    const { state } = run([opened, page, none("probe-1"), submit("r1"), chunk("r1", 1), none("probe-1")]);
    expect(state.answers.map(({ phase }) => phase)).toEqual(["live"]);
    expect(view(state).status).toBe("submitted");
  });
});

describe("a turn that was announced", () => {
  const before = run([opened, page, pending("probe-1")]);

  it("T55: is asked about again when fifteen seconds bring nothing of it", () => {
    expect(view(before.state).status).toBe("submitted");
    expect(before.effects).toContainEqual(expect.objectContaining({ type: "alarm", kind: "quiet", ms: 15_000 }));
    expect(QUIET_MS).toBe(15_000);
    const asked = run([ring(before.effects, "quiet")], before.state);
    expect(probes(asked.sent)).toEqual(["probe-2"]);
    expect(view(run([none("probe-2")], asked.state).state).status).toBe("ready");
    const waits = run([pending("probe-2")], asked.state);
    expect(probes(run([ring(waits.effects, "quiet")], waits.state).sent)).toEqual(["probe-3"]);
  });

  it.each<[string, ChatEvent]>([
    ["its stream is offered", resuming("r1")],
    ["it ended", none("probe-1")],
    ["the socket is gone", { type: "closed" }],
  ])("is not asked about again when %s", (_, event) => {
    expect(probes(run([event, ring(before.effects, "quiet")], before.state).sent)).toEqual([]);
  });

  it("T56: ends as interrupted when the server knows nothing of it in the end", () => {
    const waiting = run([opened, page, none("probe-1"), submit("r1"), { type: "closed" }, opened, pending("probe-2")]);
    const asked = run([ring(waiting.effects, "quiet")], waiting.state);
    const { state } = run([none("probe-3")], asked.state);
    expect(view(state)).toMatchObject({ status: "error", error: { code: "interrupted" } });
  });
});

const reconnects = (effects: readonly Effect[]) => effects.filter(({ type }) => type === "reconnect").length;
const alarms = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.type === "alarm" && effect.kind === "quiet" ? [effect.ms] : []));

describe("silence", () => {
  const ready = run([opened, page, none("probe-1")]);
  const accepted = frame({ type: T.CHAT_TAIL, after: null, messages: [user("u-r1")] });

  it("is no news where nothing is due: an idle conversation sets no alarm, and asks nothing when one rings", () => {
    expect(alarms(ready.effects)).toEqual([]);
    const done = frame({ type: T.USE_CHAT_RESPONSE, id: "r1", body: "", done: true });
    const ended = run([submit("r1"), accepted, chunk("r1", 1), done], ready.state);
    const rung = run([ring(ended.effects, "quiet")], ended.state);
    expect([rung.sent, alarms(rung.effects)]).toEqual([[], []]);
  });

  it("after a request has its connection asked, and given up when no answer comes", () => {
    const sent = run([submit("r1")], ready.state);
    expect(alarms(sent.effects)).toEqual([QUIET_MS]);
    const asked = run([ring(sent.effects, "quiet")], sent.state);
    expect(asked.sent).toMatchObject([{ type: T.STREAM_RESUME_REQUEST, probeId: "probe-2", requests: ["r1"] }]);
    const dead = run([ring(asked.effects, "probe")], asked.state);
    expect(reconnects(dead.effects)).toBe(1);
    const again = run([{ type: "closed" }, opened], dead.state);
    expect([dead, again].map(({ state }) => view(state).connectionError?.reason)).toEqual(["silent", "silent"]);
    const heard = run([frame({ ...none3, unknown: ["r1"] })], again.state);
    expect(view(heard.state).connectionError).toBeNull();
    expect(heard.sent).toMatchObject([{ type: T.USE_CHAT_REQUEST, id: "r1" }]);
  });

  it("in a stream is asked about, every fifteen seconds, and is no error when there is an answer", () => {
    const streaming = run([submit("r1"), accepted, chunk("r1", 1)], ready.state);
    const heard = run([ring(streaming.effects, "quiet")], streaming.state);
    expect([heard.sent, alarms(heard.effects)]).toEqual([[], [QUIET_MS]]);
    const asked = run([ring(heard.effects, "quiet")], heard.state);
    expect(probes(asked.sent)).toEqual(["probe-2"]);
    const fine = run([resuming("r1", "probe-2")], asked.state);
    expect([view(fine.state).connectionError, alarms(fine.effects)]).toEqual([null, [QUIET_MS]]);
    const later = run([ring(fine.effects, "quiet")], fine.state);
    expect([probes(later.sent), reconnects(later.effects)]).toEqual([["probe-3"], 0]);
  });

  it("of a new connection is given twice the time, for the server may have to wake up", () => {
    const fresh = run([opened, page]);
    const once = run([ring(fresh.effects, "probe")], fresh.state);
    const twice = run([ring(once.effects, "probe")], once.state);
    expect([once, twice].map(({ effects }) => reconnects(effects))).toEqual([0, 1]);
  });
});

describe("a client that does not resume", () => {
  const from: ChatState = { ...emptyChat, canResume: false };

  it("leaves a stream that runs to others, and sees its end in the transcript", () => {
    const { state, sent } = run([opened, resuming("other"), page, resuming("other", "probe-1")], from);
    expect(sent.map(({ type }) => type)).toEqual([T.STREAM_RESUME_REQUEST]);
    expect(view(state).status).toBe("ready");
  });

  it("takes its own stream again after a drop", () => {
    const { sent } = run(
      [opened, page, none("probe-1"), submit("r1"), { type: "closed" }, opened, resuming("r1", "probe-2")],
      from,
    );
    expect(sent.at(-1)).toMatchObject({ type: T.STREAM_RESUME_ACK, id: "r1", after: 0 });
  });
});
