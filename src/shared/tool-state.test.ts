import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { deepFreeze } from "../../test/harness/deep-freeze.ts";
import type { MessagePart } from "./message-parts.ts";
import { TOOL_STATES } from "./message-parts.ts";
import type { ToolPartUpdate } from "./tool-state.ts";
import { applyToolUpdate, findAndUpdateToolPart, toolApprovalUpdate, toolResultUpdate } from "./tool-state.ts";

const part = (state: string, fields: object = {}): MessagePart =>
  ({ type: "tool-ask", toolCallId: "c1", state, input: { q: 1 }, ...fields }) as MessagePart;
const messageOf = (id: string, ...parts: MessagePart[]): UIMessage => deepFreeze({ id, role: "assistant", parts });

/** The state after the update for each state before; `-` when nothing happens. */
function table(update: ToolPartUpdate): string[] {
  return TOOL_STATES.map((state) => {
    const found = findAndUpdateToolPart([messageOf("m1", part(state))], update);
    const next = found?.updated.parts[0] as { state?: string } | undefined;
    return `${state} -> ${next?.state ?? "-"}`;
  });
}

describe("findAndUpdateToolPart (F190)", () => {
  it("tells the message as it was, the place, and the message as it is now", () => {
    const text: MessagePart = { type: "text", text: "before" };
    const messages = deepFreeze([messageOf("m1", text, part("input-available")), messageOf("m2", text)]);
    const found = findAndUpdateToolPart(messages, toolResultUpdate("c1", 42));
    expect(found?.message).toBe(messages[0]);
    expect(found?.partIndex).toBe(1);
    expect(found?.updated.parts[0]).toBe(text);
    expect(found?.updated.parts[1]).toEqual(part("output-available", { output: 42, preliminary: false }));
    expect(messages[0]?.parts[1]).toEqual(part("input-available"));
  });

  it("returns null for an unknown call and for an empty list", () => {
    expect(findAndUpdateToolPart([messageOf("m1", part("input-available"))], toolResultUpdate("c9", 1))).toBeNull();
    expect(findAndUpdateToolPart([], toolResultUpdate("c1", 1))).toBeNull();
  });

  it("takes the newest call that waits when an id was used twice", () => {
    const messages = ["m1", "m2", "m3"].map((id) =>
      messageOf(id, part(id === "m3" ? "output-available" : "input-available")),
    );
    expect(findAndUpdateToolPart(messages, toolResultUpdate("c1", 1))?.message.id).toBe("m2");
  });

  it("finds dynamic calls too and has an older name", () => {
    const dynamic = { ...part("input-available"), type: "dynamic-tool", toolName: "ask" } as MessagePart;
    expect(applyToolUpdate([messageOf("m1", dynamic)], toolResultUpdate("c1", 1))?.partIndex).toBe(0);
  });
});

describe("toolResultUpdate (F191)", () => {
  it("counts for calls that run or wait, and in no other state", () => {
    expect(table(toolResultUpdate("c1", 1))).toEqual([
      "input-streaming -> -",
      "input-available -> output-available",
      "approval-requested -> output-available",
      "approval-responded -> output-available",
      "output-available -> -",
      "output-error -> -",
      "output-denied -> -",
    ]);
    expect(table(toolResultUpdate("c1", 1, "output-error"))).toEqual(
      table(toolResultUpdate("c1", 1)).map((row) => row.replace("-> output-available", "-> output-error")),
    );
  });

  it("says why there is no output", () => {
    const failed = (errorText?: string) =>
      findAndUpdateToolPart(
        [messageOf("m1", part("input-available"))],
        toolResultUpdate("c1", 1, "output-error", errorText),
      )?.updated.parts[0];
    expect(failed()).toEqual(part("output-error", { errorText: "Tool execution denied by user" }));
    expect(failed("no camera")).toEqual(part("output-error", { errorText: "no camera" }));
  });
});

describe("toolApprovalUpdate (F192)", () => {
  it("counts for calls that are not decided, and in no other state", () => {
    const approved = [
      "input-streaming -> -",
      "input-available -> approval-responded",
      "approval-requested -> approval-responded",
      "approval-responded -> -",
      "output-available -> -",
      "output-error -> -",
      "output-denied -> -",
    ];
    expect(table(toolApprovalUpdate("c1", true))).toEqual(approved);
    expect(table(toolApprovalUpdate("c1", false))).toEqual(
      approved.map((row) => row.replace("-> approval-responded", "-> output-denied")),
    );
  });

  it("keeps the id and the signature of the request", () => {
    const asked = part("approval-requested", { approval: { id: "a1", signature: "sig" } });
    const found = findAndUpdateToolPart([messageOf("m1", asked)], toolApprovalUpdate("c1", true));
    expect(found?.updated.parts[0]).toMatchObject({ approval: { id: "a1", signature: "sig", approved: true } });
  });
});

describe("ToolPartUpdate (F193)", () => {
  it("may be written by hand and composed of the ready ones", () => {
    const ready = toolResultUpdate("c1", 42);
    const custom: ToolPartUpdate = {
      ...ready,
      matchStates: [...ready.matchStates, "input-streaming"],
      apply: (before) => ({ ...ready.apply(before), title: "Answered early" }),
    };
    expect(findAndUpdateToolPart([messageOf("m1", part("input-streaming"))], custom)?.updated.parts[0]).toMatchObject({
      state: "output-available",
      output: 42,
      title: "Answered early",
    });
  });
});
