import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { deepFreeze } from "../../test/harness/deep-freeze.ts";
import type { MessagePart } from "./message-parts.ts";
import { TOOL_STATES } from "./message-parts.ts";
import { sanitizeForStorage, sanitizeMessage } from "./sanitize.ts";

const messageOf = (...parts: object[]): UIMessage =>
  deepFreeze({ id: "m1", role: "assistant", parts: parts as MessagePart[] });
const openai = { openai: { itemId: "rs_1", reasoningEncryptedContent: "gAAA" } };
const call = (fields: object) => ({ type: "tool-read", toolCallId: "c1", state: "input-available", ...fields });

describe("sanitizeMessage (F47)", () => {
  it("takes OpenAI's references off every part at once and keeps all other metadata", () => {
    const clean = sanitizeMessage(
      messageOf(
        { type: "reasoning", text: "hm", providerMetadata: { ...openai, other: { keep: 1 } } },
        { type: "text", text: "ok", providerMetadata: { openai: { itemId: "msg_1", logprobs: [] } } },
        call({ input: {}, callProviderMetadata: { azure: { itemId: "fc_1" } } }),
        { ...call({ state: "output-available", input: {}, output: 1 }), resultProviderMetadata: openai },
      ),
    );
    expect(clean.parts).toEqual([
      { type: "reasoning", text: "hm", providerMetadata: { other: { keep: 1 } } },
      { type: "text", text: "ok", providerMetadata: { openai: { logprobs: [] } } },
      call({ input: {} }),
      call({ state: "output-available", input: {}, output: 1 }),
    ]);
    expect(Object.hasOwn(clean.parts[2] as object, "callProviderMetadata")).toBe(false);
  });

  it("drops empty reasoning that has no metadata left, and only that", () => {
    const signed = { type: "reasoning", text: "", providerMetadata: { anthropic: { signature: "s" } } };
    const clean = sanitizeMessage(
      messageOf({ type: "reasoning", text: " \n", providerMetadata: openai }, signed, { type: "text", text: "" }),
    );
    expect(clean.parts).toEqual([signed, { type: "text", text: "" }]);
  });

  it("returns the same message when there is nothing to take off", () => {
    const message = messageOf({ type: "text", text: "ok", providerMetadata: { other: { itemId: "x" } } });
    expect(sanitizeMessage(message)).toBe(message);
  });
});

describe("sanitizeForStorage", () => {
  it("keeps provider metadata byte for byte", () => {
    const message = messageOf(
      { type: "reasoning", text: "", providerMetadata: { anthropic: { signature: "EqQB+/=", redactedData: "x" } } },
      { type: "reasoning", text: "", providerMetadata: openai },
      { type: "text", text: "ok", providerMetadata: openai },
      call({ input: {}, callProviderMetadata: { google: { thoughtSignature: "abc" } } }),
    );
    expect(sanitizeForStorage(message)).toBe(message);
  });

  it("drops reasoning without text and metadata", () => {
    const message = messageOf({ type: "reasoning", text: "" }, { type: "reasoning", text: "", providerMetadata: {} });
    expect(sanitizeForStorage(message).parts).toEqual([]);
  });

  it("makes every input an object and keeps what it was", () => {
    const inputs: [unknown, object][] = [
      ['{"path":"a"}', { input: { path: "a" } }],
      ["not json", { input: {}, rawInput: "not json" }],
      ["[1]", { input: {}, rawInput: "[1]" }],
      ["", { input: {}, rawInput: "" }],
      [null, { input: {}, rawInput: null }],
      [[1], { input: {}, rawInput: [1] }],
      [7, { input: {}, rawInput: 7 }],
      [undefined, { input: {} }],
    ];
    for (const [input, expected] of inputs) {
      const stored = sanitizeForStorage(messageOf(call({ input })));
      expect(stored.parts[0]).toEqual(call(expected));
      expect(sanitizeForStorage(deepFreeze(stored))).toBe(stored);
    }
  });

  it("does so in every state but input-streaming", () => {
    for (const state of TOOL_STATES) {
      const stored = sanitizeForStorage(messageOf(call({ state, input: "{}" })));
      expect(stored.parts[0]).toMatchObject({ input: state === "input-streaming" ? "{}" : {} });
    }
  });
});
