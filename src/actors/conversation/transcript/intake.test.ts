import { describe, expect, it } from "vitest";
import { intake, RESERVED_METADATA, userMessage } from "./intake.ts";

const user = (id: unknown, more: object = {}) => ({ id, role: "user", parts: [{ type: "text", text: "hi" }], ...more });
const clean = (id: string) => ({ id, role: "user", parts: [{ type: "text", text: "hi" }] });
const assistant = { id: "a", role: "assistant", parts: [{ type: "text", text: "hello" }] };

describe("intake", () => {
  it.each<[string, unknown[], string[]]>([
    ["one message", [user("1")], ["1"]],
    ["the run at the end", [user("0"), assistant, user("1"), user("2")], ["1", "2"]],
    ["nothing when an answer is last", [user("1"), assistant], []],
    ["what stands behind junk", [null, 7, "x", user("1")], ["1"]],
    [
      "what stands behind other roles",
      [{ ...user("s"), role: "system" }, { ...user("t"), role: "tool" }, user("1")],
      ["1"],
    ],
  ])("takes %s", (_, list, ids) => {
    const taken = intake(list);
    expect(taken.ok && taken.messages.map((message) => message.id)).toEqual(ids);
  });

  it("refuses an empty list", () => {
    expect(intake([])).toMatchObject({ ok: false, code: "empty_messages" });
  });

  it("refuses the whole run when one of its messages is no message", () => {
    expect(intake([user("1"), user(""), user("3")])).toMatchObject({ ok: false, code: "bad_request" });
  });
});

describe("userMessage", () => {
  it.each<[string, unknown]>([
    ["no id", user(undefined)],
    ["an id that is no string", user(7)],
    ["an empty id", user("")],
    ["an id over 256 characters", user("x".repeat(257))],
    ["no parts", user("1", { parts: undefined })],
    ["parts that are no list", user("1", { parts: {} })],
    ["an empty list of parts", user("1", { parts: [] })],
    ["more than 1,000 parts", user("1", { parts: Array.from({ length: 1001 }, () => ({ type: "text", text: "" })) })],
    ["no part it knows", user("1", { parts: [{ type: "tool-x" }, { type: "text" }, null] })],
    ["another role", { ...user("1"), role: "assistant" }],
    ["nothing", null],
  ])("says what is wrong with %s", (_, value) => {
    expect(userMessage(value)).toEqual(expect.stringMatching(/.{20}/));
  });

  it.each<[string, object, object]>([
    ["unknown fields", { role: "user", status: "sent", createdAt: 1 }, {}],
    [
      "unknown parts",
      { parts: [{ type: "text", text: "hi" }, { type: "reasoning", text: "x" }, { type: "step-start" }] },
      {},
    ],
    [
      "unknown fields of parts",
      { parts: [{ type: "text", text: "hi", state: "done", providerMetadata: { a: 1 } }] },
      {},
    ],
    ["reserved metadata", { metadata: Object.fromEntries(RESERVED_METADATA.map((key) => [key, "x"])) }, {}],
    [
      "only what is reserved of the metadata",
      { metadata: { principal: "root", mood: "good" } },
      { metadata: { mood: "good" } },
    ],
    ["metadata that is no object", { metadata: "x" }, {}],
    ["metadata that is a list", { metadata: [1] }, {}],
  ])("drops %s", (_, more, kept) => {
    expect(userMessage(user("1", more))).toEqual({ ...clean("1"), ...kept });
  });

  it("keeps files and data parts", () => {
    const parts = [
      { type: "file", mediaType: "image/png", filename: "a.png", url: "data:," },
      { type: "data-place", id: "p", data: { lat: 1 } },
    ];
    expect(userMessage(user("1", { parts }))).toEqual({ id: "1", role: "user", parts });
  });

  it("makes nothing of a prototype's keys", () => {
    const value = JSON.parse(
      '{"id":"1","role":"user","parts":[{"type":"text","text":"hi"}],"metadata":{"__proto__":{"a":1},"b":2}}',
    );
    const message = userMessage(value);
    expect(typeof message === "object" && Object.getPrototypeOf(message.metadata)).toBe(Object.prototype);
  });
});
