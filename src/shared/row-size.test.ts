import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { deepFreeze } from "../../test/harness/deep-freeze.ts";
import { utf8Bytes } from "./json-limits.ts";
import type { MessagePart } from "./message-parts.ts";
import { enforceRowSizeLimit, ROW_MAX_BYTES } from "./row-size.ts";

const messageOf = (...parts: MessagePart[]): UIMessage => deepFreeze({ id: "m1", role: "assistant", parts });
const text = (value: string): MessagePart => ({ type: "text", text: value });
const done = (output: unknown): MessagePart => ({
  type: "tool-read",
  toolCallId: "c1",
  state: "output-available",
  input: {},
  output,
});
const bytesOf = (message: UIMessage): number => utf8Bytes(JSON.stringify(message));

describe("enforceRowSizeLimit (F48)", () => {
  it("leaves a message that fits as it is", () => {
    const message = messageOf(done("x".repeat(100_000)), text("y".repeat(100_000)));
    expect(enforceRowSizeLimit(message)).toBe(message);
  });

  it("shortens a tool output of 3 MB to a marker with 500 characters of it", () => {
    const message = messageOf(done("abc".repeat(1_000_000)), text("kept"));
    const fitting = enforceRowSizeLimit(message);
    const { output } = fitting.parts[0] as { output: string };
    expect(bytesOf(fitting)).toBeLessThan(ROW_MAX_BYTES);
    expect(output).toContain("3000000 characters");
    expect(output).toContain("abc".repeat(166));
    expect(output.length).toBeLessThan(600);
    expect(fitting.parts[1]).toBe(message.parts[1]);
  });

  it("shortens the oldest outputs first and stops when the message fits", () => {
    const message = messageOf(done("a".repeat(5_000)), done({ b: "b".repeat(5_000) }), done("c".repeat(5_000)));
    const fitting = enforceRowSizeLimit(message, 12_000);
    expect(fitting.parts.map((part, index) => part === message.parts[index])).toEqual([false, true, true]);
    expect(bytesOf(fitting)).toBeLessThanOrEqual(12_000);
  });

  it("turns to texts only when outputs were not enough", () => {
    const message = messageOf(text("t".repeat(5_000)), done("a".repeat(5_000)), text("u".repeat(5_000)));
    const once = enforceRowSizeLimit(message, 11_000);
    expect(once.parts.map((part, index) => part === message.parts[index])).toEqual([true, false, true]);
    const twice = enforceRowSizeLimit(message, 7_000);
    expect(twice.parts.map((part, index) => part === message.parts[index])).toEqual([false, false, true]);
  });

  it("measures bytes, not characters", () => {
    const message = messageOf(done("語".repeat(4_000)));
    expect(JSON.stringify(message).length).toBeLessThan(5_000);
    expect(enforceRowSizeLimit(message, 5_000)).not.toBe(message);
  });

  it("never shortens up to 1,000 characters and never cuts a character in half", () => {
    const short = messageOf(done("x".repeat(1_000)), text("y".repeat(1_000)));
    expect(enforceRowSizeLimit(short, 10).parts).toEqual(short.parts);
    const { output } = enforceRowSizeLimit(messageOf(done(`x${"😀".repeat(1_000)}`)), 10).parts[0] as {
      output: string;
    };
    expect(output.isWellFormed()).toBe(true);
  });
});
