import type { UIMessage, UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { CHAT_MESSAGE_TYPES as T, type ClientFrame, type ServerFrame } from "../shared/wire.ts";
import { type ChatEvent, step } from "./chat-machine.ts";
import { type ChatState, emptyChat } from "./chat-state.ts";
import { viewOf } from "./view.ts";

const user = (id: string, text = "Hi"): UIMessage => ({ id, role: "user", parts: [{ type: "text", text }] });
const answer = (id: string, text: string): UIMessage => ({
  id,
  role: "assistant",
  parts: [{ type: "text", text, state: "done" }],
});

const opened: ChatEvent = { type: "opened" };
const closed: ChatEvent = { type: "closed" };
const frame = (frame: ServerFrame): ChatEvent => ({ type: "frame", frame });
const page = (messages: UIMessage[], hasMore = false) =>
  frame({ type: T.CHAT_MESSAGES, messages, connect: true, hasMore });
const tail = (after: string | null, messages: UIMessage[]) => frame({ type: T.CHAT_TAIL, after, messages });
const none = (probeId: string, unknown?: string[]) =>
  frame({ type: T.STREAM_RESUME_NONE, reason: "idle", probeId, ...(unknown ? { unknown } : {}) });
const resuming = (id: string, more: { probeId?: string; lastSeq?: number; continuation?: boolean } = {}) =>
  frame({ type: T.STREAM_RESUMING, id, ...more });
const chunk = (id: string, seq: number, chunk: UIMessageChunk, more: { replay?: true; continuation?: true } = {}) =>
  frame({ type: T.USE_CHAT_RESPONSE, id, body: JSON.stringify(chunk), done: false, seq, ...more });
const caughtUp = (id: string) =>
  frame({ type: T.USE_CHAT_RESPONSE, id, body: "", done: false, replay: true, replayComplete: true });
const done = (id: string, messageIds: string[] = []) =>
  frame({ type: T.USE_CHAT_RESPONSE, id, body: "", done: true, outcome: "completed", messageIds });
const failed = (id: string, messageIds: string[] = []) =>
  frame({
    type: T.USE_CHAT_RESPONSE,
    id,
    body: "The model failed.",
    done: true,
    error: true,
    outcome: "error",
    code: "model_error",
    retryable: true,
    messageIds,
  });
const submit = (requestId: string, message = user(`u-${requestId}`)): ChatEvent => ({
  type: "submit",
  requestId,
  messages: [message],
});
const start = (messageId: string): UIMessageChunk => ({ type: "start", messageId });
const open = (id = "0"): UIMessageChunk => ({ type: "text-start", id });
const say = (delta: string, id = "0"): UIMessageChunk => ({ type: "text-delta", id, delta });

function run(events: readonly ChatEvent[], from: ChatState = emptyChat): { state: ChatState; sent: ClientFrame[] } {
  const sent: ClientFrame[] = [];
  let state = from;
  for (const event of events) {
    state = step(state, event);
    sent.push(...state.outbox.flatMap((effect) => (effect.type === "send" ? [effect.frame] : [])));
  }
  return { state, sent };
}

const ready = [opened, page([]), none("probe-1")];
const view = (state: ChatState) => viewOf(state, "open", null);
const texts = (state: ChatState) =>
  view(state).messages.map((message) => message.parts.map((part) => ("text" in part ? part.text : "")).join("|"));

const cancelled = (sent: readonly ClientFrame[]) =>
  sent.flatMap((frame) => (frame.type === T.CHAT_REQUEST_CANCEL ? [frame.id] : []));

const acks = ({ sent }: ReturnType<typeof run>) => sent.filter(({ type }) => type === T.STREAM_RESUME_ACK);

describe("sending", () => {
  it("asks what runs on every open, and sends only when that is answered", () => {
    const before = run([submit("r1"), opened, page([])]);
    expect(before.sent.map(({ type }) => type)).toEqual([T.STREAM_RESUME_REQUEST]);
    expect(view(before.state)).toMatchObject({ status: "submitted", queued: 1 });
    const { state, sent } = run([none("probe-1")], before.state);
    expect(sent).toMatchObject([{ type: T.USE_CHAT_REQUEST, id: "r1" }]);
    expect(view(state)).toMatchObject({ status: "submitted", queued: 0 });
  });

  it("shows a message at once, once, and as the same object when the server has it", () => {
    const message = user("u1");
    const before = run([...ready, submit("r1", message)]).state;
    const { state } = run([tail(null, [structuredClone(message)])], before);
    expect(view(before).messages).toEqual([message]);
    expect(view(state).messages[0]).toBe(message);
    expect(view(state).messages).toHaveLength(1);
  });

  it("sends again, under the same id and in order, what the server has never seen", () => {
    const lost = run([...ready, submit("r1"), closed, submit("r2"), opened]);
    expect(lost.sent.at(-1)).toMatchObject({ type: T.STREAM_RESUME_REQUEST, requests: ["r1"] });
    const { sent } = run([page([]), none("probe-2", ["r1"])], lost.state);
    expect(sent).toMatchObject([{ id: "r1" }, { id: "r2" }]);
  });

  it("does not send again what the server has had and lost with a cleared conversation", () => {
    const { state, sent } = run([
      ...ready,
      submit("r1"),
      tail(null, [user("u-r1")]),
      closed,
      opened,
      page([]),
      none("probe-2", ["r1"]),
    ]);
    expect(sent.filter(({ type }) => type === T.USE_CHAT_REQUEST)).toHaveLength(1);
    expect(view(state)).toMatchObject({ messages: [], status: "ready" });
  });

  it("sends what waits even when the list has its messages already, and is told how that ended", () => {
    const { state, sent } = run([submit("r1"), opened, page([user("u-r1")]), none("probe-1")]);
    expect(sent.at(-1)).toMatchObject({ type: T.USE_CHAT_REQUEST, id: "r1" });
    expect(view(run([done("r1", ["u-r1"])], state).state).status).toBe("ready");
  });

  it("ends a request once, whoever repeats its end", () => {
    let ends = 0;
    let { state } = run([...ready, submit("r1"), tail(null, [user("u-r1")])]);
    for (const event of [done("r1"), done("r1"), failed("r1"), chunk("r1", 1, start("a1"))]) {
      state = step(state, event);
      ends += state.outbox.filter(({ type }) => type === "turn-ended").length;
    }
    expect(ends).toBe(1);
    expect(view(state)).toMatchObject({ status: "ready", lastTurn: { outcome: "completed" } });
  });

  it("keeps a message that was refused, and sends it again on retry", () => {
    const refused = run([...ready, submit("r1"), failed("r1")]).state;
    expect(view(refused)).toMatchObject({ status: "error", canRetry: true, error: { code: "model_error" } });
    expect(texts(refused)).toEqual(["Hi"]);
    const { state, sent } = run([{ type: "retry", requestId: "r2" }], refused);
    expect(sent).toMatchObject([{ type: T.USE_CHAT_REQUEST, id: "r2" }]);
    expect(texts(state)).toEqual(["Hi"]);
    expect(view(state).status).toBe("submitted");
  });

  it("takes a message that waits for a connection back at once when it is stopped", () => {
    const { state } = run([...ready, { type: "closed" }, submit("r1"), { type: "stop" }]);
    expect(view(state)).toMatchObject({ status: "ready", queued: 0, messages: [] });
    const { sent } = run([opened, page([]), none("probe-2")], state);
    expect(sent.map(({ type }) => type)).toEqual([T.STREAM_RESUME_REQUEST]);
  });

  it("offers to send a refused message again also when the next one was answered", () => {
    const { state } = run([
      ...ready,
      submit("r1"),
      submit("r2"),
      failed("r1"),
      tail(null, [user("u-r2")]),
      chunk("r2", 1, start("a2")),
      done("r2", ["u-r2"]),
    ]);
    expect(view(state)).toMatchObject({ status: "ready", canRetry: true });
    expect(view(state).messages.at(-1)?.id).toBe("u-r1");
  });

  it("sends everything that was refused again on retry, in its order", () => {
    const refused = run([...ready, submit("r1"), submit("r2"), submit("r3"), failed("r1"), failed("r2"), failed("r3")]);
    expect(view(refused.state).messages.map(({ id }) => id)).toEqual(["u-r1", "u-r2", "u-r3"]);
    const { state, sent } = run([{ type: "retry", requestId: "r4" }], refused.state);
    expect(view(state).messages.map(({ id }) => id)).toEqual(["u-r1", "u-r2", "u-r3"]);
    const frame = sent.at(-1);
    expect(frame?.type === T.USE_CHAT_REQUEST && JSON.parse(frame.init.body)).toMatchObject({
      messages: [{ id: "u-r1" }, { id: "u-r2" }, { id: "u-r3" }],
    });
  });

  it("answers the last user message again when a turn failed", () => {
    const { sent } = run([
      ...ready,
      submit("r1"),
      tail(null, [user("u-r1")]),
      failed("r1", ["u-r1"]),
      { type: "retry", requestId: "r2" },
    ]);
    const last = sent.at(-1);
    expect(last?.type === T.USE_CHAT_REQUEST && JSON.parse(last.init.body)).toMatchObject({
      trigger: "regenerate-message",
      messageId: "u-r1",
    });
  });

  it("refuses by itself a message that no frame may carry", () => {
    const { state, sent } = run([...ready, submit("r1", user("u1", "x".repeat(17 * 1024 * 1024)))]);
    expect(sent.filter(({ type }) => type === T.USE_CHAT_REQUEST)).toEqual([]);
    expect(view(state)).toMatchObject({ status: "error", error: { code: "too_large", retryable: false } });
  });
});

describe("streaming", () => {
  const streaming = [...ready, tail(null, [user("u1")]), chunk("r1", 1, start("a1")), chunk("r1", 2, open())];

  it("folds the answer to a request of somebody else as to an own one", () => {
    const { state } = run([...streaming, chunk("r1", 3, say("Hel")), chunk("r1", 4, say("lo"))]);
    expect(texts(state)).toEqual(["Hi", "Hello"]);
    expect(view(state).status).toBe("streaming");
  });

  it("keeps the identity of everything that a chunk does not touch", () => {
    const before = view(run([...streaming, chunk("r1", 3, say("a"))]).state);
    const after = viewOf(run([...streaming, chunk("r1", 3, say("a")), chunk("r1", 4, say("b"))]).state, "open", before);
    expect(after.messages[0]).toBe(before.messages[0]);
    expect(after.messages[1]).not.toBe(before.messages[1]);
  });

  it("gives the same view when nothing visible changed", () => {
    const { state } = run(streaming);
    const before = view(state);
    const { state: next } = run([chunk("r1", 2, open()), resuming("r1"), caughtUp("r1")], state);
    expect(next).not.toBe(state);
    expect(viewOf(next, "open", before)).toBe(before);
  });

  it("drops what it has and asks again when a chunk is missing", () => {
    const gap = run([...streaming, chunk("r1", 2, open()), chunk("r1", 4, say("lo"))]);
    expect(gap.sent.at(-1)).toMatchObject({ type: T.STREAM_RESUME_REQUEST, probeId: "probe-2" });
    const { state, sent } = run(
      [
        chunk("r1", 5, say("!")),
        resuming("r1", { probeId: "probe-2", lastSeq: 5 }),
        chunk("r1", 5, say("Hello!"), { replay: true }),
        caughtUp("r1"),
        chunk("r1", 6, say("!")),
      ],
      gap.state,
    );
    expect(sent).toEqual([{ type: T.STREAM_RESUME_ACK, id: "r1", after: 2 }]);
    expect(texts(state)).toEqual(["Hi", "Hello!!"]);
  });

  it("goes on after the last chunk it has when the socket was replaced", () => {
    const { state, sent } = run([
      ...streaming,
      chunk("r1", 3, say("Hel")),
      closed,
      opened,
      resuming("r1", { lastSeq: 4 }),
      page([user("u1")]),
      resuming("r1", { probeId: "probe-2", lastSeq: 4 }),
      chunk("r1", 4, say("lo"), { replay: true }),
      caughtUp("r1"),
    ]);
    expect(sent.filter(({ type }) => type === T.STREAM_RESUME_ACK)).toEqual([
      { type: T.STREAM_RESUME_ACK, id: "r1", after: 3 },
    ]);
    expect(texts(state)).toEqual(["Hi", "Hello"]);
  });

  it("folds again from the start when it is ahead of what the server has stored", () => {
    const { state, sent } = run([
      ...streaming,
      chunk("r1", 3, say("lost")),
      closed,
      opened,
      resuming("r1", { lastSeq: 2 }),
      chunk("r1", 1, start("a1"), { replay: true }),
      chunk("r1", 2, open(), { replay: true }),
      caughtUp("r1"),
      chunk("r1", 3, say("found")),
    ]);
    expect(sent.at(-1)).toEqual({ type: T.STREAM_RESUME_ACK, id: "r1", after: 0 });
    expect(texts(state)).toEqual(["Hi", "found"]);
  });

  it("attaches again when it is offered again what it already hears", () => {
    const { sent } = run([...streaming, resuming("r1", { lastSeq: 2 })]);
    expect(sent.at(-1)).toEqual({ type: T.STREAM_RESUME_ACK, id: "r1", after: 2 });
  });

  it("lets a continuation grow the message that the list holds, also when the list comes after the offer", () => {
    const { state } = run([
      opened,
      resuming("r2", { continuation: true }),
      page([user("u1"), answer("a1", "Before")]),
      chunk("r2", 1, start("a1"), { replay: true, continuation: true }),
      chunk("r2", 2, open(), { replay: true, continuation: true }),
      chunk("r2", 3, say(" after"), { replay: true, continuation: true }),
      caughtUp("r2"),
    ]);
    expect(texts(state)).toEqual(["Hi", "Before| after"]);
  });

  it("takes over an outcome of a tool that was told beside the stream, and never takes a state back", () => {
    const call: UIMessageChunk = { type: "tool-input-available", toolCallId: "c1", toolName: "ask", input: {} };
    const settled = {
      type: "tool-ask",
      toolCallId: "c1",
      state: "output-available",
      input: {},
      output: "yes",
    } as const;
    const waiting = { type: "tool-ask", toolCallId: "c1", state: "input-available", input: {} } as const;
    const updated = frame({ type: T.MESSAGE_UPDATED, message: { id: "a1", role: "assistant", parts: [settled] } });
    const { state } = run([
      ...ready,
      chunk("r1", 1, start("a1")),
      chunk("r1", 2, call),
      updated,
      chunk("r1", 3, open()),
      frame({ type: T.MESSAGE_UPDATED, message: { id: "a1", role: "assistant", parts: [waiting] } }),
    ]);
    expect(view(state).messages[0]?.parts[0]).toMatchObject({ state: "output-available", output: "yes" });
  });

  it("leaves the answer in place from its last chunk to the server's own version", () => {
    const ended = run([...streaming, chunk("r1", 3, say("Hello")), done("r1")]).state;
    expect(texts(ended)).toEqual(["Hi", "Hello"]);
    expect(view(ended).status).toBe("ready");
    expect(texts(run([tail("u1", [answer("a1", "Hello, stored")])], ended).state)).toEqual(["Hi", "Hello, stored"]);
  });

  it("keeps the answer before messages that wait behind it", () => {
    const { state } = run([...streaming, chunk("r1", 3, say("A")), tail("u1", [user("u2", "next")])]);
    expect(texts(state)).toEqual(["Hi", "A", "next"]);
  });
});

describe("an answer that the list has", () => {
  it("stays as the server stored it when it is replayed to its end after that", () => {
    const cut = { ...answer("a1", "Hel"), metadata: { troupe: { outcome: "failed" } } };
    const { state } = run([
      opened,
      resuming("r1", { lastSeq: 3 }),
      page([user("u1")]),
      none("probe-1"),
      tail("u1", [cut]),
      chunk("r1", 1, start("a1"), { replay: true }),
      chunk("r1", 2, open(), { replay: true }),
      chunk("r1", 3, say("Hel"), { replay: true }),
      failed("r1", ["u1"]),
    ]);
    expect(view(state).messages[1]).toEqual(cut);
  });
});

describe("the handshake", () => {
  it("waits when the turn is accepted but does not stream yet, and is ready when nothing comes", () => {
    const waiting = run([opened, page([user("u1")]), frame({ type: T.STREAM_PENDING, id: "r9", probeId: "probe-1" })]);
    expect(view(waiting.state).status).toBe("submitted");
    expect(view(run([none("probe-1")], waiting.state).state).status).toBe("ready");
    const late = frame({ type: T.STREAM_RESUME_NONE, reason: "idle" });
    expect(view(run([late], waiting.state).state).status).toBe("ready");
    const { state, sent } = run([resuming("r9"), chunk("r9", 1, start("a9"), { replay: true })], waiting.state);
    expect(sent).toEqual([{ type: T.STREAM_RESUME_ACK, id: "r9", after: 0 }]);
    expect(view(state)).toMatchObject({ status: "submitted", messages: [user("u1")] });
    const spoken = [chunk("r9", 2, open(), { replay: true }), chunk("r9", 3, say("Hello"), { replay: true })];
    expect(view(run(spoken, state).state).status).toBe("streaming");
  });

  it("takes no answer to an older probe for its own", () => {
    const asked = run([opened, closed, opened, page([])]).state;
    const { state } = run([submit("r1"), none("probe-1")], asked);
    expect(state.outbox).toEqual([]);
    expect(run([none("probe-2")], state).sent).toMatchObject([{ id: "r1" }]);
  });

  it("ends as interrupted what the server neither ended nor knows of", () => {
    const { state } = run([...ready, submit("r1"), tail(null, [user("u-r1")]), closed, opened, page([user("u-r1")])]);
    expect(view(run([none("probe-2")], state).state)).toMatchObject({
      status: "error",
      error: { code: "interrupted", retryable: true },
      canRetry: true,
    });
  });

  it("does not take for interrupted what it sent again after the probe", () => {
    const { state, sent } = run([
      ...ready,
      submit("r1"),
      closed,
      opened,
      page([user("u9")]),
      frame({ type: T.STREAM_PENDING, id: "r9", probeId: "probe-2", unknown: ["r1"] }),
      frame({ type: T.STREAM_RESUME_NONE, reason: "idle" }),
    ]);
    expect(sent.at(-1)).toMatchObject({ type: T.USE_CHAT_REQUEST, id: "r1" });
    expect(view(state)).toMatchObject({ status: "submitted" });
  });

  it("forgets a stream of others that ended while it was away", () => {
    const { state } = run([
      ...ready,
      tail(null, [user("u1")]),
      chunk("r1", 1, start("a1")),
      chunk("r1", 2, open()),
      chunk("r1", 3, say("Hel")),
      closed,
      opened,
      page([user("u1"), answer("a1", "Hello")]),
      none("probe-2"),
    ]);
    expect(texts(state)).toEqual(["Hi", "Hello"]);
    expect(view(state).status).toBe("ready");
  });
});

describe("stop and clear", () => {
  it("cancels what runs, whoever asked for it, and nothing that waits", () => {
    const { state, sent } = run([...ready, chunk("r1", 1, start("a1")), submit("r2"), { type: "stop" }]);
    expect(cancelled(sent)).toEqual(["r1"]);
    expect(texts(state)).toEqual(["Hi"]);
  });

  it("cancels the oldest own request while nothing runs, however often it is asked to", () => {
    const { sent } = run([...ready, submit("r1"), submit("r2"), { type: "stop" }, { type: "stop" }]);
    expect(new Set(cancelled(sent))).toEqual(new Set(["r1"]));
  });

  it("tells which message streams and which wait", () => {
    const alone = run([...ready, submit("r1")]).state;
    expect(view(alone)).toMatchObject({ streamingId: null, waitingIds: [] });
    const inLine = run([submit("r2"), submit("r3")], alone).state;
    expect(view(inLine)).toMatchObject({ streamingId: null, waitingIds: ["u-r2", "u-r3"] });
    const begun = [chunk("r1", 1, start("a1")), chunk("r1", 2, open()), chunk("r1", 3, say("Hello"))];
    const streaming = run([tail(null, [user("u-r1"), user("u-r2"), user("u-r3")]), ...begun], inLine).state;
    expect(view(streaming)).toMatchObject({ streamingId: "a1", waitingIds: ["u-r2", "u-r3"] });
    const next = run([done("r1", ["u-r1", "a1"])], streaming).state;
    expect(view(next)).toMatchObject({ streamingId: null, waitingIds: ["u-r3"] });
    expect(view(run([submit("r4")]).state)).toMatchObject({ waitingIds: ["u-r4"] });
  });

  it("keeps a stop that was asked for while the link was down, and sends what it did not stop", () => {
    const { state, sent } = run([
      ...ready,
      submit("r1"),
      closed,
      submit("r2"),
      { type: "stop" },
      opened,
      page([]),
      frame({ type: T.STREAM_PENDING, id: "r1", probeId: "probe-2" }),
    ]);
    expect(sent.slice(3)).toMatchObject([
      { type: T.CHAT_REQUEST_CANCEL, id: "r1" },
      { type: T.USE_CHAT_REQUEST, id: "r2" },
    ]);
    expect(state.requests.map(({ id }) => id)).toEqual(["r1", "r2"]);
  });

  it("never sends what was stopped before it could be", () => {
    const { state, sent } = run([submit("r1"), submit("r2"), { type: "stop" }, ...ready]);
    expect(sent.slice(1)).toMatchObject([{ type: T.USE_CHAT_REQUEST, id: "r2" }]);
    expect(state.requests.map(({ id }) => id)).toEqual(["r2"]);
  });

  it("empties everything when the conversation was cleared, but for messages on their way", () => {
    const { state } = run([
      ...ready,
      submit("r1"),
      tail(null, [user("u-r1")]),
      chunk("r1", 1, start("a1")),
      chunk("r1", 2, open()),
      chunk("r1", 3, say("Hello")),
      submit("r2", user("u2", "still to come")),
      frame({ type: T.USE_CHAT_RESPONSE, id: "r1", body: "", done: true, outcome: "aborted", messageIds: ["u-r1"] }),
      frame({ type: T.CHAT_CLEAR }),
      chunk("r1", 4, say("ghost")),
    ]);
    expect(texts(state)).toEqual(["still to come"]);
  });
});

describe("a clear", () => {
  it("ends, once, an own request whose end the server kept for its replay", () => {
    const own = [...ready, submit("r1"), tail(null, [user("u-r1")]), closed, opened, page([user("u-r1")])];
    const { state } = run([...own, resuming("r1", { probeId: "probe-2", lastSeq: 2 })]);
    const cleared = step(state, frame({ type: T.CHAT_CLEAR }));
    expect(cleared.outbox).toMatchObject([{ type: "turn-ended", ending: { requestId: "r1", outcome: "aborted" } }]);
    expect(view(cleared)).toMatchObject({ status: "ready", messages: [] });
    expect(step(cleared, done("r1")).outbox).toEqual([]);
  });

  it("leaves a request that the server has not seen on its way", () => {
    const { state } = run([...ready, submit("r1"), frame({ type: T.CHAT_CLEAR })]);
    expect(view(state)).toMatchObject({ status: "submitted", messages: [user("u-r1")] });
  });
});

describe("a replay", () => {
  it("counts from its beginning: what is left of one that somebody else asked for on this connection does not", () => {
    const offered = [opened, resuming("r1", { probeId: "probe-1", lastSeq: 4 }), page([user("u1")])];
    const more = { replay: true } as const;
    const left = run([...offered, chunk("r1", 4, say("lo"), more)]).state;
    expect(texts(left)).toEqual(["Hi"]);
    const whole = [chunk("r1", 1, start("a1"), more), chunk("r1", 2, open(), more), chunk("r1", 4, say("Hello"), more)];
    expect(texts(run([...whole, caughtUp("r1")], left).state)).toEqual(["Hi", "Hello"]);
  });
});

describe("an answer that a new socket has not caught up with", () => {
  it("is not shown when what it answers is older than the new page", () => {
    const heard = [chunk("r1", 1, start("a1")), chunk("r1", 2, open()), chunk("r1", 3, say("Hel"))];
    const before = run([...ready, tail(null, [user("u1")]), ...heard, closed, opened]).state;
    expect(texts(before)).toEqual(["Hi", "Hel"]);
    expect(texts(run([page([user("u2", "later")], true)], before).state)).toEqual(["later"]);
  });
});

describe("an id that was used before", () => {
  const theirs = [...ready, chunk("r1", 1, start("a1"))];

  it("is a new request when it is sent after a clear, and its answer is heard", () => {
    const cleared = [...theirs, frame({ type: T.CHAT_CLEAR }), submit("r1")];
    expect(acks(run([...cleared, resuming("r1", { lastSeq: 1 })]))).toHaveLength(1);
  });

  it("is heard when the server says that the own request waits", () => {
    const pending = frame({ type: T.STREAM_PENDING, id: "r1", probeId: "probe-2" });
    const events = [...theirs, closed, submit("r1"), opened, page([]), pending, resuming("r1", { lastSeq: 0 })];
    expect(acks(run(events))).toHaveLength(1);
  });
});

describe("pages", () => {
  const loaded = [opened, page([user("u3"), answer("a3", "3")], true), none("probe-1")];

  const told = (first: string) => frame({ type: T.CHAT_TAIL, after: "a3", messages: [user("u4", "new")], first });

  it("puts older messages in front, and only if the list still begins where they end", () => {
    const { state } = run(loaded);
    const older = (before: string, epoch = state.pageEpoch): ChatEvent => ({
      type: "older",
      epoch,
      before,
      messages: [user("u2", "older")],
      hasMore: false,
    });
    expect(texts(run([older("u3")], state).state)).toEqual(["older", "Hi", "3"]);
    expect(texts(run([older("u2")], state).state)).toEqual(["Hi", "3"]);
    expect(texts(run([older("u3", state.pageEpoch - 1)], state).state)).toEqual(["Hi", "3"]);
  });

  it("asks for the page again when it lacks what a tail stands behind, and takes only the newest answer", () => {
    const first = run([...loaded, tail("u1", [answer("b1", "other branch")])]).state;
    expect(first.outbox).toEqual([{ type: "fetch-page", fetch: 1, atLeast: 2 }]);
    const second = run([tail("b1", [user("b2", "more")])], first).state;
    expect(second.outbox).toMatchObject([{ type: "fetch-page", fetch: 2 }]);
    const stale: ChatEvent = { type: "page", fetch: 1, messages: [answer("b1", "other branch")], hasMore: true };
    expect(texts(run([stale], second).state)).toEqual(["Hi", "3"]);
    const fresh: ChatEvent = { ...stale, fetch: 2, messages: [answer("b1", "other branch"), user("b2", "more")] };
    expect(texts(run([stale, fresh], second).state)).toEqual(["other branch", "more"]);
  });

  it("asks for a page that could not be read again after two seconds, as long as it is owed", () => {
    const failed = run([
      ...loaded,
      tail("u1", [answer("b1", "other branch")]),
      { type: "page-failed", fetch: 1 },
    ]).state;
    expect(failed.outbox).toEqual([{ type: "alarm", kind: "page", ms: 2_000 }]);
    const due: ChatEvent = { type: "timeout", kind: "page" };
    expect(step(failed, due).outbox).toEqual([{ type: "fetch-page", fetch: 2, atLeast: 2 }]);
    expect(run([closed, due], failed).state.outbox).toEqual([]);
    expect(run([page([user("u9")]), due], failed).state.outbox).toEqual([]);
  });

  it("takes no older page for more than the server still has", () => {
    const { state } = run([...loaded, told("u2")]);
    const older: ChatEvent = {
      type: "older",
      epoch: state.pageEpoch,
      before: "u3",
      messages: [user("u1", "gone"), user("u2", "first")],
      hasMore: true,
    };
    const whole = run([older], state).state;
    expect([texts(whole), view(whole).hasMore]).toEqual([["first", "Hi", "3", "new"], false]);
    const trimmed = run([...loaded, told("u3"), { ...older, messages: [user("u2", "gone")] }]).state;
    expect(texts(trimmed)).toEqual(["Hi", "3", "new"]);
  });

  it("puts an own message that is older than the page nowhere else", () => {
    const later = [closed, opened, resuming("r1"), page([user("u9")], true)];
    const { state } = run([...ready, submit("r1"), tail(null, [user("u-r1")]), ...later]);
    expect(view(state).messages.map(({ id }) => id)).toEqual(["u9"]);
  });

  it("forgets messages that are gone from storage, and knows that there is more before a page", () => {
    const trimmed = run([...loaded, told("a3")]).state;
    expect([texts(trimmed), view(trimmed).hasMore]).toEqual([["3", "new"], false]);
    const { state } = run([...loaded, told("u1")]);
    expect([texts(state), view(state).hasMore]).toEqual([["Hi", "3", "new"], true]);
  });
});

describe("every event in every state", () => {
  it("is taken without an error", () => {
    const response = (body: string) => frame({ type: T.USE_CHAT_RESPONSE, id: "r1", body, done: false, seq: 1 });
    const fromServer = [page([user("u1")]), tail("nowhere", []), none("probe-1"), none("nowhere", ["r1"])].concat(
      [resuming("r1"), chunk("r1", 7, say("x")), chunk("r1", 1, start("a1"), { replay: true }), caughtUp("r1")],
      [done("r1"), failed("r1"), frame({ type: T.CHAT_CLEAR }), frame({ type: T.STREAM_PENDING })],
      [frame({ type: T.MESSAGE_UPDATED, message: user("u1") }), frame({ type: T.CHAT_RECOVERING, recovering: true })],
      [frame({ type: T.CHAT_ERROR, code: "bad_request", message: "No." })],
      ["not json", "null", '{"type":"unheard-of"}'].map(response),
    );
    const frames = fromServer.concat(
      [opened, closed, submit("r1"), { type: "stop" }, { type: "clear" }, { type: "retry", requestId: "r2" }],
      [
        { type: "page-failed", fetch: 1 },
        { type: "page", fetch: 1, messages: [], hasMore: false },
      ],
    );
    for (const first of frames) {
      for (const second of frames) {
        for (const third of frames) expect(() => view(run([first, second, third]).state)).not.toThrow();
      }
    }
  });
});
