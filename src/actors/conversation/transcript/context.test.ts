import type { JSONValue, ModelMessage } from "ai";
import { describe, expect, it } from "vitest";
import { boundPrompt, MAX_PROMPT_OUTPUT_CHARS, MAX_PROMPT_TEXT_CHARS } from "./context.ts";

const user = (content: string): ModelMessage => ({ role: "user", content });
const result = (value: JSONValue): ModelMessage => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId: "c1", toolName: "read", output: { type: "json", value } }],
});

function valueOf([message]: readonly ModelMessage[]): unknown {
  const part = message?.role === "tool" ? message.content[0] : undefined;
  return part?.type === "tool-result" && part.output.type === "json" ? part.output.value : undefined;
}

describe("what a prompt carries of long values", () => {
  it("is a text with a note of exactly what was left out", () => {
    const [message] = boundPrompt([user("a".repeat(300_000))]);
    const text = String(message?.content);
    expect(text.length).toBeLessThanOrEqual(MAX_PROMPT_TEXT_CHARS);
    const [, kept = "", left] = /^(a+)\n… (\d+) more characters left out$/.exec(text) ?? [];
    expect(kept.length + Number(left)).toBe(300_000);
  });

  it("never ends in half of a surrogate pair", () => {
    for (const shift of ["", "a"]) {
      const [message] = boundPrompt([user(shift + "😀".repeat(150_000))]);
      expect(String(message?.content).isWellFormed()).toBe(true);
    }
  });

  it.each<[string, JSONValue]>([
    ["one long string", { text: "a".repeat(500_000), ok: true }],
    ["a long list", { rows: Array.from({ length: 50_000 }, (_, at) => ({ at })), ok: true }],
    ["a list of long strings", Array.from({ length: 9 }, () => "b".repeat(40_000))],
    ["many strings of the least length", Array.from({ length: 5_000 }, () => "c".repeat(200))],
    ["lists within lists", Array.from({ length: 40 }, () => Array.from({ length: 40 }, () => "d".repeat(300)))],
  ])("fits, keeps its shape, and is cut once: %s", (_, value) => {
    const once = boundPrompt([result(value)]);
    expect(JSON.stringify(valueOf(once)).length).toBeLessThanOrEqual(MAX_PROMPT_OUTPUT_CHARS);
    expect(Array.isArray(valueOf(once))).toBe(Array.isArray(value));
    expect(boundPrompt(once)[0]).toBe(once[0]);
  });

  it("is left as it is where nothing can be cut, however often it is bounded", () => {
    const short = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`key-${at}`, at]));
    const once = boundPrompt([result(short)]);
    expect(valueOf(once)).toEqual(short);
    expect(valueOf(boundPrompt(once))).toEqual(short);
  });

  it("tells how many items a list lost", () => {
    const rows = Array.from({ length: 50_000 }, (_, at) => ({ at }));
    const value = valueOf(boundPrompt([result(rows)])) as unknown[];
    const [, left] = /^… (\d+) more items left out$/.exec(String(value.at(-1))) ?? [];
    expect(value.length - 1 + Number(left)).toBe(50_000);
  });
});
