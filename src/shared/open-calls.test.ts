import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { TOOL_STATES } from "./message-parts.ts";
import { closeOpenCalls, decision, isStepSettled, openCalls, withChunks } from "./open-calls.ts";

const call = (state: string, more: object = {}) => ({
  type: "tool-look",
  toolCallId: `call-${state}`,
  state,
  input: {},
  ...(state.startsWith("approval") ? { approval: { id: `approval-${state}` } } : {}),
  ...more,
});
const answer = (...parts: object[]): UIMessage => ({ id: "m", role: "assistant", parts: parts as UIMessage["parts"] });
const step = { type: "step-start" };

describe("the calls that wait", () => {
  it("are those of the last step without an answer", () => {
    const message = answer(
      step,
      call("input-available", { toolCallId: "old" }),
      step,
      ...TOOL_STATES.map((state) => call(state)),
    );
    expect(openCalls(message).map(({ state }) => state)).toEqual([
      "input-streaming",
      "input-available",
      "approval-requested",
    ]);
  });

  it("are not the provider's", () => {
    expect(openCalls(answer(step, call("input-available", { providerExecuted: true })))).toEqual([]);
  });

  it("settle a step when the last of them is answered; a step without calls is none to settle", () => {
    expect(isStepSettled(answer(step, call("output-available"), call("input-available")))).toBe(false);
    expect(isStepSettled(answer(step, call("output-available"), call("approval-responded")))).toBe(true);
    expect(isStepSettled(answer(step, { type: "text", text: "hi" }))).toBe(false);
  });

  it("are closed with the reason, each in the way of its state, and what is settled stays", () => {
    const settled = [
      call("output-available", { output: 1 }),
      call("output-error", { errorText: "no" }),
      call("output-denied"),
    ];
    const message = answer(
      step,
      ...settled,
      call("input-available"),
      call("approval-requested"),
      call("approval-responded", { approval: { id: "a", approved: true } }),
    );
    const closed = closeOpenCalls(message, "gone");
    expect(closed.parts.slice(0, 4)).toEqual(message.parts.slice(0, 4));
    expect(closed.parts.slice(4)).toMatchObject([
      { state: "output-error", errorText: "gone" },
      { state: "output-denied", approval: { approved: false, reason: "gone" } },
      { state: "output-error", errorText: "gone" },
    ]);
    expect(openCalls(closed)).toEqual([]);
    expect(closeOpenCalls(closed, "again")).toEqual(closed);
  });
});

describe("a decision", () => {
  const asked = answer(step, call("approval-requested"));
  const [part] = openCalls(asked);

  it("keeps the id of the request, and what is denied is over", () => {
    if (part === undefined) throw new Error("nothing asks");
    expect(withChunks(asked, decision(part, true)).parts[1]).toMatchObject({
      state: "approval-responded",
      approval: { id: "approval-approval-requested", approved: true },
    });
    expect(withChunks(asked, decision(part, false)).parts[1]).toMatchObject({
      state: "output-denied",
      approval: { id: "approval-approval-requested", approved: false },
    });
  });
});
