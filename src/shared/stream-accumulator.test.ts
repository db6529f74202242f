import type { UIMessage, UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { deepFreeze } from "../../test/harness/deep-freeze.ts";
import { StreamAccumulator } from "./stream-accumulator.ts";

const text: UIMessageChunk[] = [
  { type: "text-start", id: "0" },
  { type: "text-delta", id: "0", delta: "Hello" },
  { type: "text-end", id: "0" },
];
const user: UIMessage = { id: "u1", role: "user", parts: [{ type: "text", text: "Hi" }] };

describe("StreamAccumulator", () => {
  it("builds the message chunk by chunk and tells which chunks changed it", () => {
    const answer = new StreamAccumulator({ messageId: "m1" });
    const results = [...text, { type: "finish-step" } as const].map((chunk) => answer.applyChunk(chunk).handled);
    expect(results).toEqual([true, true, true, false]);
    expect(answer.messageId).toBe("m1");
    expect(answer.message).toEqual({
      id: "m1",
      role: "assistant",
      parts: [{ type: "text", text: "Hello", state: "done" }],
    });
  });

  it("gives every message as a new value", () => {
    const answer = new StreamAccumulator({ messageId: "m1" });
    const before = deepFreeze(answer.message);
    for (const chunk of text) answer.applyChunk(chunk);
    expect(before.parts).toEqual([]);
  });

  it("asks for an error to be handled", () => {
    const answer = new StreamAccumulator({ messageId: "m1" });
    expect(answer.applyChunk({ type: "error", errorText: "overloaded" })).toEqual({
      handled: false,
      action: { type: "error", error: "overloaded" },
    });
  });

  it("asks for the outcome of a call of another message to be applied there", () => {
    const answer = new StreamAccumulator({ messageId: "m1" });
    const chunks: [UIMessageChunk, string][] = [
      [{ type: "tool-output-available", toolCallId: "old", output: 1 }, "output-available"],
      [{ type: "tool-output-error", toolCallId: "old", errorText: "no" }, "output-error"],
      [{ type: "tool-output-denied", toolCallId: "old" }, "output-denied"],
    ];
    for (const [chunk, updateType] of chunks) {
      expect(answer.applyChunk(chunk)).toEqual({
        handled: false,
        action: { type: "cross-message-tool-update", toolCallId: "old", updateType, chunk },
      });
    }
  });

  it("goes on with a stored message, whose calls it knows and whose id it keeps", () => {
    const existing: UIMessage = deepFreeze({
      id: "m1",
      role: "assistant",
      parts: [{ type: "tool-read", toolCallId: "c1", state: "input-available", input: {} }],
    });
    const answer = new StreamAccumulator({ messageId: "other", existing });
    expect(answer.applyChunk({ type: "tool-output-available", toolCallId: "c1", output: 1 })).toEqual({
      handled: true,
    });
    expect(answer.mergeInto(deepFreeze([user, existing]))).toEqual([
      user,
      {
        id: "m1",
        role: "assistant",
        parts: [{ type: "tool-read", toolCallId: "c1", state: "output-available", input: {}, output: 1 }],
      },
    ]);
  });

  it("appends a message that the list does not have", () => {
    const answer = new StreamAccumulator({ messageId: "m1" });
    for (const chunk of text) answer.applyChunk(chunk);
    expect(answer.mergeInto(deepFreeze([user]))).toEqual([user, answer.message]);
  });

  it("parses what has come of a tool input when the message is wanted whole", () => {
    const answer = new StreamAccumulator({ messageId: "m1" });
    answer.applyChunk({ type: "tool-input-start", toolCallId: "c1", toolName: "read" });
    answer.applyChunk({ type: "tool-input-delta", toolCallId: "c1", inputTextDelta: '{"path":"abc' });
    answer.applyChunk({ type: "tool-input-delta", toolCallId: "c1", inputTextDelta: "d" });
    expect(answer.toMessage().parts[0]).toMatchObject({ input: { path: "abcd" } });
  });
});
