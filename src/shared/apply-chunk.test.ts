import type { UIMessage, UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { deepFreeze } from "../../test/harness/deep-freeze.ts";
import { readBySdk } from "../../test/harness/sdk-reader.ts";
import type { FoldState } from "./apply-chunk.ts";
import {
  applyChunk,
  closeOpenParts,
  emptyAssistant,
  finalizeFold,
  hasRenderableParts,
  startFold,
} from "./apply-chunk.ts";

const metadata = (value: string) => ({ providerMetadata: { vendor: { value } } });
const asStored = (message: UIMessage): UIMessage => JSON.parse(JSON.stringify(message)) as UIMessage;

function fold(chunks: readonly UIMessageChunk[], message = emptyAssistant("m1")): FoldState {
  return deepFreeze(chunks).reduce(
    (state, chunk) => deepFreeze(applyChunk(state, chunk)),
    startFold(deepFreeze(message)),
  );
}

const call = { toolCallId: "c1", toolName: "read-file" };
const available: UIMessageChunk = { type: "tool-input-available", ...call, input: { path: "a" } };
const asked: UIMessageChunk = { type: "tool-approval-request", approvalId: "a1", toolCallId: "c1" };

/** One answer per chunk type at least, named for what it shows. */
const ANSWERS: Record<string, UIMessageChunk[]> = {
  "text with metadata and citations": [
    { type: "start", messageId: "m1", messageMetadata: { model: "x" } },
    { type: "text-start", id: "t", ...metadata("1") },
    { type: "text-delta", id: "t", delta: "Hel" },
    { type: "text-delta", id: "t", delta: "lo", ...metadata("2") },
    {
      type: "text-end",
      id: "t",
      citations: [{ source: { type: "source", sourceType: "url", id: "s", url: "https://example.com/" } }],
    },
    { type: "finish", finishReason: "stop", messageMetadata: { usage: { in: 1 } } },
  ],
  "text ids that repeat in each step": ["one", "two"].flatMap((delta): UIMessageChunk[] => [
    { type: "start-step" },
    { type: "text-start", id: "0" },
    { type: "text-delta", id: "0", delta },
    { type: "text-end", id: "0" },
    { type: "finish-step" },
  ]),
  "text that is never ended": [
    { type: "text-start", id: "0" },
    { type: "text-delta", id: "0", delta: "cut" },
    { type: "abort", reason: "stopped" },
  ],
  "a text that stays open over the end of a step": [
    { type: "start-step" },
    { type: "text-start", id: "0" },
    { type: "finish-step" },
    { type: "start-step" },
    { type: "text-delta", id: "0", delta: "late" },
  ],
  "reasoning beside a text of the same id": [
    { type: "reasoning-start", id: "0" },
    { type: "text-start", id: "0" },
    { type: "reasoning-delta", id: "0", delta: "hm" },
    { type: "text-delta", id: "0", delta: "ok" },
    { type: "reasoning-end", id: "0", ...metadata("signature") },
    { type: "text-end", id: "0" },
  ],
  "sources, files and custom parts": [
    { type: "source-url", sourceId: "s1", url: "https://example.com/", title: "T", ...metadata("1") },
    { type: "source-document", sourceId: "s2", mediaType: "text/plain", title: "D", filename: "d.txt" },
    { type: "file", mediaType: "image/png", url: "data:image/png;base64,AA==" },
    { type: "reasoning-file", mediaType: "image/png", url: "data:image/png;base64,AA==", ...metadata("2") },
    { type: "custom", kind: "vendor.block", ...metadata("3") },
  ],
  "a steering message": [{ type: "steering-message", id: "u2", parts: [{ type: "text", text: "faster" }] }],
  "data parts: updated in place by type and id, appended without one, transient ones gone": [
    { type: "data-progress", id: "p", data: 1 },
    { type: "data-other", id: "p", data: "x" },
    { type: "data-progress", id: "p", data: 2 },
    { type: "data-note", data: 1 },
    { type: "data-note", data: 2 },
    { type: "data-ping", data: 3, transient: true },
  ],
  "metadata merged object by object": [
    { type: "message-metadata", messageMetadata: { a: { x: 1 }, list: [1, 2] } },
    { type: "message-metadata", messageMetadata: { a: { y: 2 }, list: [3], b: null } },
  ],
  "a call with streamed input and preliminary outputs": [
    { type: "tool-input-start", ...call, title: "Read", toolMetadata: { v: 1 }, ...metadata("call") },
    { type: "tool-input-delta", toolCallId: "c1", inputTextDelta: '{"pa' },
    { type: "tool-input-delta", toolCallId: "c1", inputTextDelta: 'th":"a"}' },
    available,
    { type: "tool-output-available", toolCallId: "c1", output: 1, preliminary: true },
    { type: "tool-output-available", toolCallId: "c1", output: 2, ...metadata("result") },
  ],
  "a call whose input is cut": [
    { type: "tool-input-start", ...call },
    { type: "tool-input-delta", toolCallId: "c1", inputTextDelta: '{"path":"a","lines":[1,{"x":"unfin' },
  ],
  "a call whose input is plain text": [
    { type: "tool-input-start", ...call, inputEncoding: "text" },
    { type: "tool-input-delta", toolCallId: "c1", inputTextDelta: '{"not ' },
    { type: "tool-input-delta", toolCallId: "c1", inputTextDelta: "json" },
  ],
  "a dynamic call run by the provider": [
    { type: "tool-input-start", ...call, dynamic: true, providerExecuted: true },
    { type: "tool-input-delta", toolCallId: "c1", inputTextDelta: "{}" },
    { ...available, dynamic: true, providerExecuted: true },
    { type: "tool-output-error", toolCallId: "c1", errorText: "no", dynamic: true, ...metadata("result") },
  ],
  "a call refused for its input": [
    { type: "tool-input-start", ...call },
    { type: "tool-input-error", ...call, input: "junk", errorText: "invalid", ...metadata("e") },
    { type: "tool-output-error", toolCallId: "c1", errorText: "invalid input" },
  ],
  "a dynamic call refused without a start": [
    { type: "tool-input-error", ...call, dynamic: true, input: {}, errorText: "unknown tool" },
  ],
  "an approval that is asked": [
    available,
    {
      ...asked,
      signature: "sig",
      approvalDescriptor: { cost: 1 },
      inputSchemaInput: {},
      reason: "writes",
      isAutomatic: true,
    },
  ],
  "an approval that is given": [
    available,
    asked,
    {
      type: "tool-approval-response",
      approvalId: "a1",
      approved: true,
      reason: "fine",
      providerExecuted: true,
      ...metadata("r"),
    },
    { type: "tool-output-available", toolCallId: "c1", output: "done" },
  ],
  "an approval that is refused": [
    available,
    asked,
    { type: "tool-approval-response", approvalId: "a1", approved: false },
    { type: "tool-output-denied", toolCallId: "c1" },
  ],
  "a step that is reset": [
    { type: "start-step" },
    { type: "text-start", id: "0" },
    { type: "finish-step" },
    { type: "start-step" },
    { type: "text-start", id: "0" },
    { type: "tool-input-start", ...call },
    { type: "reset-step" },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "again" },
    available,
  ],
  "an error in the middle": [
    { type: "text-start", id: "0" },
    { type: "error", errorText: "overloaded" },
    { type: "text-delta", id: "0", delta: "still" },
  ],
};

describe("applyChunk beside the AI SDK's reader", () => {
  for (const [name, chunks] of Object.entries(ANSWERS)) {
    it(`agrees on ${name}`, async () => {
      expect(asStored(finalizeFold(fold(chunks)))).toEqual(asStored({ ...(await readBySdk(chunks)), id: "m1" }));
    });
  }

  it("agrees on a continuation that answers stored calls before its first step", async () => {
    const stored = asStored(
      fold([
        { type: "start-step" },
        available,
        asked,
        { type: "tool-approval-response", approvalId: "a1", approved: true },
      ]).message,
    );
    const rest: UIMessageChunk[] = [
      { type: "start", messageId: "m1" },
      { type: "tool-output-available", toolCallId: "c1", output: "text of a" },
      { type: "start-step" },
      { type: "text-start", id: "0" },
      { type: "text-delta", id: "0", delta: "read" },
    ];
    expect(asStored(fold(rest, stored).message)).toEqual(asStored(await readBySdk(rest, stored)));
  });
});

describe("applyChunk", () => {
  it("keeps the identity of every part a chunk does not touch", () => {
    const before = fold([available, { type: "text-start", id: "0" }, { type: "text-start", id: "1" }]);
    const after = applyChunk(before, { type: "text-delta", id: "1", delta: "x" });
    expect(after.message.parts[0]).toBe(before.message.parts[0]);
    expect(after.message.parts[1]).toBe(before.message.parts[1]);
    expect(before.message.parts[2]).toMatchObject({ text: "" });
  });

  it("returns the same state for chunks that are unknown, malformed or out of place", () => {
    const state = fold([available, asked]);
    const odd: unknown[] = [
      null,
      undefined,
      "text",
      7,
      {},
      { type: 1 },
      { type: "hasOwnProperty" },
      { type: "__proto__" },
      { type: "no-such-chunk" },
      { type: "text-delta", id: "missing", delta: "x" },
      { type: "text-end", id: "missing" },
      { type: "text-delta", id: "0" },
      { type: "steering-message", id: "x", parts: "none" },
      { type: "tool-input-delta", toolCallId: "missing", inputTextDelta: "x" },
      { type: "tool-input-delta", toolCallId: "c1", inputTextDelta: "x" },
      { type: "tool-output-available", toolCallId: "missing", output: 1 },
      { type: "tool-output-denied", toolCallId: "missing" },
      { type: "tool-approval-response", approvalId: "missing", approved: true },
      { type: "start", messageId: "other" },
      { type: "finish" },
      { type: "finish-step" },
      { type: "abort" },
      { type: "error", errorText: "x" },
      { type: "data-ping", data: 1, transient: true },
    ];
    for (const chunk of odd) expect(applyChunk(state, chunk as UIMessageChunk)).toBe(state);
  });

  it("takes the id of the start chunk only when the message has none", () => {
    const start: UIMessageChunk = { type: "start", messageId: "server" };
    expect(fold([start], emptyAssistant("")).message.id).toBe("server");
    expect(fold([start], emptyAssistant("mine")).message.id).toBe("mine");
  });

  it("never moves a call back: a settled outcome and a first decision stay", () => {
    const approved = fold([available, asked, { type: "tool-approval-response", approvalId: "a1", approved: true }]);
    const settled = applyChunk(approved, { type: "tool-output-available", toolCallId: "c1", output: 1 });
    for (const chunk of [
      asked,
      { type: "tool-approval-response", approvalId: "a1", approved: false },
      { type: "tool-output-denied", toolCallId: "c1" },
      { type: "tool-input-start", ...call },
      available,
    ] satisfies UIMessageChunk[]) {
      expect(applyChunk(approved, chunk)).toBe(approved);
      expect(applyChunk(settled, chunk)).toBe(settled);
    }
    expect(applyChunk(settled, { type: "tool-output-error", toolCallId: "c1", errorText: "late" })).toBe(settled);
    expect(applyChunk(settled, { type: "tool-output-available", toolCallId: "c1", output: 2 })).toBe(settled);
  });

  it("merges metadata without reaching a prototype", () => {
    const state = fold([
      { type: "message-metadata", messageMetadata: { a: 1 } },
      {
        type: "message-metadata",
        messageMetadata: JSON.parse('{"__proto__":{"bad":1},"constructor":{"bad":1},"b":2}'),
      },
    ]);
    expect(state.message.metadata).toEqual({ a: 1, b: 2 });
    expect(({} as { bad?: number }).bad).toBeUndefined();
  });
});

describe("a tool input of 300 kB in 3,000 deltas", () => {
  const json = JSON.stringify({ path: "a.txt", content: "x".repeat(300_000) });
  const deltas = Array.from({ length: Math.ceil(json.length / 100) }, (_, at): UIMessageChunk => {
    return { type: "tool-input-delta", toolCallId: "c1", inputTextDelta: json.slice(at * 100, at * 100 + 100) };
  });

  it("is parsed in linear work", () => {
    let state = applyChunk(startFold(emptyAssistant("m1")), { type: "tool-input-start", ...call });
    let parses = 0;
    let parsedBytes = 0;
    for (const delta of deltas) {
      const next = applyChunk(state, delta);
      if (next.inputs !== state.inputs) {
        parses++;
        parsedBytes += next.inputs.get("c1")?.parsedLength ?? 0;
      }
      state = next;
    }
    expect(parses).toBeLessThanOrEqual(25);
    expect(parsedBytes).toBeLessThanOrEqual(3 * json.length);
    expect(finalizeFold(state).parts[0]).toMatchObject({ input: JSON.parse(json) as unknown, rawInput: json });
  });

  it("shows what has arrived before it is whole", () => {
    const state = fold([{ type: "tool-input-start", ...call }, ...deltas.slice(0, 30)]);
    expect(state.message.parts[0]).toMatchObject({ state: "input-streaming", input: { path: "a.txt" } });
  });

  it("is whole without another parse once the input is available", () => {
    const state = fold([{ type: "tool-input-start", ...call }, deltas[0] as UIMessageChunk, available]);
    expect(finalizeFold(state)).toBe(state.message);
    expect(state.message.parts[0]).toEqual({
      type: "tool-read-file",
      toolCallId: "c1",
      state: "input-available",
      input: { path: "a" },
    });
  });
});

describe("closeOpenParts", () => {
  it("ends texts and fails calls that nobody will answer", () => {
    const { message } = fold([
      { type: "text-start", id: "0" },
      { type: "reasoning-start", id: "0" },
      { type: "tool-input-start", ...call },
      { type: "tool-input-delta", toolCallId: "c1", inputTextDelta: '{"path":"a' },
      { type: "tool-input-available", toolCallId: "c2", toolName: "write", input: {} },
      { type: "tool-input-available", toolCallId: "c3", toolName: "ask", input: {} },
      { type: "tool-input-available", toolCallId: "c4", toolName: "pay", input: {} },
      { type: "tool-approval-request", approvalId: "a4", toolCallId: "c4" },
    ]);
    const closed = closeOpenParts(message, "Interrupted", (part) => part.type === "tool-ask");
    expect(closed.parts.map((part) => ("state" in part ? part.state : null))).toEqual([
      "done",
      "done",
      "output-error",
      "output-error",
      "input-available",
      "approval-requested",
    ]);
    expect(closed.parts[2]).toEqual({
      type: "tool-read-file",
      toolCallId: "c1",
      state: "output-error",
      input: { path: "a" },
      errorText: "Interrupted",
    });
  });

  it("returns the same message when nothing is open", () => {
    const { message } = fold([available, { type: "tool-output-available", toolCallId: "c1", output: 1 }]);
    expect(closeOpenParts(message, "Interrupted")).toBe(message);
  });
});

describe("hasRenderableParts", () => {
  it("sees text, calls and files, but no step borders and no empty text", () => {
    expect(hasRenderableParts(fold([{ type: "start-step" }, { type: "text-start", id: "0" }]).message)).toBe(false);
    expect(hasRenderableParts(fold([available]).message)).toBe(true);
    expect(
      hasRenderableParts(fold([{ type: "file", mediaType: "image/png", url: "https://example.com/a.png" }]).message),
    ).toBe(true);
  });
});
