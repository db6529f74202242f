import type { UIMessage, UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { randomSegments } from "../../../../test/fuzz/chunk-lists.ts";
import { randomFrom } from "../../../../test/harness/random.ts";
import { seeds } from "../../../../test/harness/seeds.ts";
import { applyChunk, emptyAssistant, finalizeFold, type FoldState, startFold } from "../../../shared/apply-chunk.ts";
import { sanitizeForStorage } from "../../../shared/sanitize.ts";
import { chunksOfFold, foldedBehind } from "./snapshot.ts";

const fold = (chunks: readonly UIMessageChunk[], from: FoldState = startFold(emptyAssistant("m"))) =>
  chunks.reduce(applyChunk, from);

const stored = (parts: unknown[]): UIMessage => ({ id: "m", role: "assistant", parts: parts as UIMessage["parts"] });

describe("chunksOfFold", () => {
  it.each<[string, unknown]>([
    ["text", { type: "text", text: "hi", state: "done" }],
    ["signed text", { type: "text", text: "hi", state: "done", providerMetadata: { p: { sig: 1 } } }],
    [
      "empty signed reasoning",
      { type: "reasoning", id: "r", text: "", state: "done", providerMetadata: { a: { s: "x" } } },
    ],
    ["a file", { type: "file", mediaType: "image/png", url: "data:," }],
    ["a source", { type: "source-url", sourceId: "s", url: "https://example.com", title: "t" }],
    ["data", { type: "data-weather", id: "w", data: { degrees: 3 } }],
    ["a call", { type: "tool-x", toolCallId: "c", state: "input-available", input: { a: 1 }, providerExecuted: true }],
    ["a dynamic call", { type: "dynamic-tool", toolName: "x", toolCallId: "c", state: "input-available", input: {} }],
    ["an output", { type: "tool-x", toolCallId: "c", state: "output-available", input: {}, output: 0 }],
    [
      "a preliminary output",
      { type: "tool-x", toolCallId: "c", state: "output-available", input: {}, output: 0, preliminary: true },
    ],
    ["a failed call", { type: "tool-x", toolCallId: "c", state: "output-error", input: {}, errorText: "no" }],
    [
      "a wait for approval",
      { type: "tool-x", toolCallId: "c", state: "approval-requested", input: {}, approval: { id: "a" } },
    ],
    [
      "a decision",
      {
        type: "tool-x",
        toolCallId: "c",
        state: "approval-responded",
        input: {},
        approval: { id: "a", approved: true, reason: "r" },
      },
    ],
    [
      "a denied call",
      { type: "tool-x", toolCallId: "c", state: "output-denied", input: {}, approval: { id: "a", approved: false } },
    ],
  ])("folds back to %s", (_, part) => {
    const message = stored([{ type: "step-start" }, part]);
    expect(fold(chunksOfFold({ message, open: new Map() })).message).toEqual(message);
  });

  it("keeps the metadata of the message", () => {
    const message = { ...stored([]), metadata: { model: "m", troupe: { outcome: "failed" } } };
    expect(fold(chunksOfFold({ message, open: new Map() })).message).toEqual(message);
  });

  it.each(seeds(60))("folds back to any answer, and lets a stream go on behind it (seed %i)", (seed) => {
    const random = randomFrom(seed);
    const chunks = randomSegments(random, "m")[0]?.chunks ?? [];
    const cut = random.below(chunks.length + 1);
    const before = fold(chunks.slice(0, cut));
    const again = fold(chunksOfFold(before));
    expect(finalizeFold(again)).toEqual(finalizeFold(before));
    const whole = sanitizeForStorage(finalizeFold(fold(chunks.slice(cut), before)));
    expect(sanitizeForStorage(finalizeFold(fold(chunks.slice(cut), again)))).toEqual(whole);
    expect(chunksOfFold(before).length).toBeLessThanOrEqual(Math.max(cut, 1));
  });
});

describe("what a segment has added", () => {
  it("leaves out the parts before it, and keeps the ids of what is open", () => {
    const parts = [
      { type: "text", text: "before", state: "done" },
      { type: "text", text: "and now", state: "streaming" },
    ] satisfies UIMessage["parts"];
    const open = new Map([["text:t", 1]]);
    const behind = foldedBehind({ message: { id: "m", role: "assistant", parts }, open }, 1);
    expect(chunksOfFold(behind)).toEqual([
      { type: "start", messageId: "m" },
      { type: "text-start", id: "t" },
      { type: "text-delta", id: "t", delta: "and now" },
    ]);
  });
});
