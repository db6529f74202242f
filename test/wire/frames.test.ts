import { describe, expect, it } from "vitest";
import {
  CAPABILITY_PARAM,
  CHAT_MESSAGE_TYPES as T,
  MAX_FRAME_BYTES,
  parseCapabilities,
  parseChatBody,
  parseFrame,
  parseProtocolMessage,
} from "../../src/shared/wire.ts";
import { type Random, randomFrom } from "../harness/random.ts";
import { seeds } from "../harness/seeds.ts";

const json = (value: unknown) => JSON.stringify(value);
const long = "x".repeat(257);

describe("parseFrame", () => {
  it.each<{ readonly type: string } & Readonly<Record<string, unknown>>>([
    { type: T.USE_CHAT_REQUEST, id: "r", init: { method: "POST", body: "{}" } },
    { type: T.USE_CHAT_REQUEST, id: "r", init: { body: "" } },
    { type: T.CHAT_CLEAR },
    { type: T.CHAT_REQUEST_CANCEL, id: "r" },
    { type: T.TOOL_RESULT, toolCallId: "c", output: null },
    { type: T.TOOL_RESULT, toolCallId: "c", toolName: "t", output: 1, autoContinue: true, state: "output-error" },
    { type: T.TOOL_APPROVAL, toolCallId: "c", approved: false },
    { type: T.STREAM_RESUME_REQUEST },
    { type: T.STREAM_RESUME_REQUEST, probeId: "p", requests: ["a", "b"] },
    { type: T.STREAM_RESUME_ACK, id: "r" },
    { type: T.STREAM_RESUME_ACK, id: "r", after: 0 },
    { type: T.CHAT_MESSAGES, messages: [] },
  ])("takes $type", (frame) => {
    expect(parseFrame(json(frame))).toEqual({ kind: "frame", frame });
    expect(parseProtocolMessage(json(frame))).toEqual(frame);
  });

  it("drops fields it does not know", () => {
    expect(parseProtocolMessage(json({ type: T.CHAT_CLEAR, admin: true }))).toEqual({ type: T.CHAT_CLEAR });
  });

  it.each<[string, unknown]>([
    ["binary", new ArrayBuffer(4)],
    ["nothing", undefined],
    ["null", "null"],
    ["a number", "7"],
    ["a list", `["${T.CHAT_CLEAR}"]`],
    ["text that is not JSON", `${T.CHAT_CLEAR}!`],
    ["another type", '{"type":"cf_agent_state"}'],
    ["a type of nobody", '{"type":"cf_agent_unheard_of","id":"r"}'],
    ["no type", '{"cf_agent_":1}'],
    ["a type that is no text", '{"type":["cf_agent_chat_clear"]}'],
    ["ours further in", `{"payload":{"type":"${T.CHAT_CLEAR}"}}`],
  ])("leaves %s to others", (_, data) => {
    expect(parseFrame(data)).toEqual({ kind: "foreign" });
    expect(parseProtocolMessage(data)).toBeNull();
  });

  it.each<[string, object, object]>([
    ["a request without an id", { type: T.USE_CHAT_REQUEST, init: { body: "" } }, { type: T.USE_CHAT_REQUEST }],
    ["a request without a body", { type: T.USE_CHAT_REQUEST, id: "r", init: {} }, { id: "r" }],
    ["an id that is too long", { type: T.CHAT_REQUEST_CANCEL, id: long }, {}],
    ["an empty id", { type: T.STREAM_RESUME_ACK, id: "" }, {}],
    ["a cursor below 0", { type: T.STREAM_RESUME_ACK, id: "r", after: -1 }, { id: "r" }],
    ["a cursor that is no integer", { type: T.STREAM_RESUME_ACK, id: "r", after: 1.5 }, { id: "r" }],
    ["a decision that is text", { type: T.TOOL_APPROVAL, toolCallId: "c", approved: "false" }, { toolCallId: "c" }],
    ["a decision that is missing", { type: T.TOOL_APPROVAL, toolCallId: "c" }, { toolCallId: "c" }],
    [
      "a result with a state of its own",
      { type: T.TOOL_RESULT, toolCallId: "c", output: 1, state: "done" },
      { toolCallId: "c" },
    ],
    ["33 requests in a probe", { type: T.STREAM_RESUME_REQUEST, requests: Array.from({ length: 33 }, String) }, {}],
    ["a list that is none", { type: T.CHAT_MESSAGES, messages: "x" }, {}],
    ["a frame that only a server sends", { type: T.STREAM_RESUMING, id: "r" }, { id: "r" }],
  ])("says what is wrong with %s", (_, frame, known) => {
    const parsed = parseFrame(json(frame));
    expect(parsed).toMatchObject({ kind: "invalid", code: "bad_request", ...known });
    expect(parsed.kind === "invalid" && parsed.problem.length).toBeGreaterThan(5);
    expect(parseProtocolMessage(json(frame))).toBeNull();
  });

  it("reads the id of a frame that is too large or too deep to parse", () => {
    const large = `{"type":"${T.USE_CHAT_REQUEST}","id":"r","init":{"body":"${"x".repeat(MAX_FRAME_BYTES)}"}}`;
    expect(parseFrame(large)).toMatchObject({ kind: "invalid", code: "too_large", id: "r", type: T.USE_CHAT_REQUEST });
    const deep = `{"type":"${T.USE_CHAT_REQUEST}","id":"r","init":${"[".repeat(500)}`;
    expect(parseFrame(deep)).toMatchObject({ kind: "invalid", code: "bad_request", id: "r" });
  });

  it.each(seeds(40))("never throws and never pollutes, whatever comes (seed %i)", (seed) => {
    const random = randomFrom(seed);
    for (let n = 0; n < 200; n++) {
      const parsed = parseFrame(junk(random));
      expect(["frame", "invalid", "foreign"]).toContain(parsed.kind);
    }
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("parseChatBody", () => {
  it.each<[string, boolean]>([
    ['{"messages":[]}', true],
    ['{"messages":[1,null],"trigger":"submit-message","messageId":null,"mine":{"a":1}}', true],
    ['{"messages":[],"trigger":"regenerate-message","messageId":"m","clientTools":[{"name":"t"}]}', true],
    ["", false],
    ["null", false],
    ["[]", false],
    ["{}", false],
    ['{"messages":{}}', false],
    ['{"messages":[],"trigger":"else"}', false],
    ['{"messages":[],"messageId":7}', false],
    ['{"messages":[],"clientTools":[{}]}', false],
    ['{"messages":[],"clientTools":[{"name":""}]}', false],
    ['{"messages":[],"clientTools":"x"}', false],
  ])("%s: %s", (text, ok) => {
    const parsed = parseChatBody(text);
    expect(parsed.ok).toBe(ok);
    if (parsed.ok) expect(parsed.body).toEqual(JSON.parse(text));
  });
});

describe("parseCapabilities", () => {
  it.each<[string | null, string[]]>([
    [null, []],
    ["not a url", []],
    ["http://test.local/a", []],
    [`http://test.local/a?${CAPABILITY_PARAM}=delta`, ["delta"]],
    [`http://test.local/a?${CAPABILITY_PARAM}=cursor,delta,delta,teleport`, ["delta", "cursor"]],
    [`http://test.local/a?${CAPABILITY_PARAM}=`, []],
  ])("of %s are %j", (url, capabilities) => {
    expect([...parseCapabilities(url)]).toEqual(capabilities);
  });
});

/** Something that looks like a frame, more or less. */
function junk(random: Random): unknown {
  const values = [null, 0, -1, 1.5, "", long, "r", true, [], {}, [[[]]], { __proto__: { polluted: 1 } }, { body: "{" }];
  const keys = ["id", "init", "toolCallId", "approved", "after", "requests", "messages", "output", "type", "__proto__"];
  const types = Object.values(T);
  const entries = Array.from({ length: random.below(6) }, () => [
    keys[random.below(keys.length)],
    values[random.below(values.length)],
  ]);
  const text = json({ type: types[random.below(types.length)], ...Object.fromEntries(entries) });
  if (random.chance(0.5)) return text;
  if (random.chance(0.1)) return new ArrayBuffer(random.below(9));
  const at = random.below(text.length);
  return random.chance(0.5)
    ? text.slice(0, at)
    : text.slice(0, at) + random.pick(["\u0000", '"', "{", "\\", "é"]) + text.slice(at);
}
