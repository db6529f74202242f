import { describe, expect, it } from "vitest";
import { parseServerFrame, SERVER_FRAMES } from "../shared/server-frames.ts";
import { type ChatEvent, step } from "./chat-machine.ts";
import { type ChatState, emptyChat } from "./chat-state.ts";
import { cutOf } from "./cut-answer.ts";
import { viewOf } from "./view.ts";
import { type Random, randomOf } from "./walk/random.ts";

const pick = <V>(random: Random, values: readonly V[]): V => values[random.below(values.length)] as V;

const ids = ["r1", "r2", "r3", "", "__proto__", "constructor", "probe-1"];

/** What a field of a frame, a message or a chunk may turn out to be. */
function anything(random: Random, depth = 0): unknown {
  const leaf = [null, true, false, 0, -1, 1.5, 1, 2, 3, 1e308, "", "a", ...ids, "text", "assistant", undefined];
  if (depth > 2 || random.chance(60)) return pick(random, leaf);
  if (random.chance(50)) return Array.from({ length: random.below(4) }, () => anything(random, depth + 1));
  const keys = ["id", "type", "text", "parts", "role", "__proto__", "metadata", "state", "toolCallId"];
  return Object.fromEntries(
    Array.from({ length: random.below(5) }, () => [pick(random, keys), anything(random, depth + 1)]),
  );
}

function message(random: Random): unknown {
  if (random.chance(15)) return anything(random);
  const parts = [
    { type: "text", text: "a" },
    { type: "tool-x", toolCallId: "c", state: "output-available" },
    { type: "data-x" },
  ];
  return {
    id: pick(random, ["m1", "m2", "m3", "m3"]),
    role: pick(random, ["user", "assistant", "odd"]),
    parts: random.chance(15) ? anything(random) : [random.chance(20) ? anything(random) : pick(random, parts)],
    ...(random.chance(20) ? { metadata: anything(random) } : {}),
  };
}

function chunk(random: Random): string {
  if (random.chance(20)) return pick(random, ["", "{", "null", "[]", "{}", "7", '{"type":7}', '{"__proto__":{"a":1}}']);
  const type = pick(random, [
    "start",
    "text-start",
    "text-delta",
    "text-end",
    "tool-input-delta",
    "data-x",
    "new-type",
  ]);
  return JSON.stringify({ type, id: "t", messageId: pick(random, ["m1", "m9", 7]), delta: anything(random) });
}

function frameText(random: Random): string {
  const type = pick(random, Object.keys(SERVER_FRAMES));
  const fields: Record<string, unknown> = {
    id: pick(random, ids),
    probeId: pick(random, ["probe-1", "probe-2", "probe-3", undefined]),
    body: chunk(random),
    done: random.chance(10),
    replay: random.chance(30),
    replayComplete: random.chance(5) || undefined,
    seq: pick(random, [0, 1, 2, 3, 4, 5, 9, 1e308, undefined]),
    lastSeq: pick(random, [0, 1, 2, 1e308, undefined]),
    messages: Array.from({ length: random.below(4) }, () => message(random)),
    message: message(random),
    after: pick(random, ["m1", "m2", "gone", null]),
    first: pick(random, ["m1", "gone", undefined]),
    unknown: pick(random, [["r1", "r9", "r9"], undefined]),
    recovering: random.chance(50),
    code: "limit",
    reason: pick(random, ["idle", "continuation-owned", undefined]),
  };
  if (fields["message"] === undefined || type === "cf_agent_chat_error") fields["message"] = "No.";
  if (random.chance(20)) fields[pick(random, Object.keys(fields))] = anything(random);
  return JSON.stringify({ type, ...fields });
}

function event(random: Random, state: ChatState, at: number): ChatEvent {
  switch (random.below(30)) {
    case 0:
      return { type: "opened" };
    case 1:
      return { type: random.chance(30) ? "closed" : "stop" };
    case 2:
      return { type: "submit", requestId: `r${at % 5}`, messages: [{ id: `u${at}`, role: "user", parts: [] }] };
    case 3:
      return { type: "timeout", kind: "probe" };
    case 4:
      return { type: "timeout", kind: "quiet" };
    case 5:
      return { type: "page-failed", fetch: state.awaitedFetch ?? 0 };
    case 6:
      return { type: "timeout", kind: "page" };
    default: {
      const frame = parseServerFrame(frameText(random));
      return frame === null ? { type: "retry", requestId: `r${at % 5}` } : { type: "frame", frame };
    }
  }
}

describe("a client of a server that says anything", () => {
  it("never throws, shows something, and asks for no more than it is told", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = randomOf(seed);
      let state: ChatState = step({ ...emptyChat, wantsChunks: seed % 2 === 0 }, { type: "opened" });
      let view = viewOf(state, "open", null);
      let mostAsked = 0;
      for (let at = 0; at < 100; at++) {
        state = step(state, event(random, state, at));
        view = viewOf(state, "open", view);
        view.messages.forEach(cutOf);
        mostAsked = Math.max(mostAsked, state.outbox.length);
      }
      expect(mostAsked, `seed ${seed}`).toBeLessThan(48);
      expect(state.closedIds.length, `seed ${seed}`).toBeLessThanOrEqual(64);
    }
  });
});
