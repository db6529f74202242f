import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { unansweredIds } from "./unanswered.ts";

/** `u1 a1 u2`: questions and answers. */
const list = (ids: string): UIMessage[] =>
  ids.split(" ").map((id) => ({ id, role: id.startsWith("u") ? "user" : "assistant", parts: [] }));
const unanswered = (ids: string, isBusy = false) => [...unansweredIds(list(ids), isBusy)];

describe("unansweredIds", () => {
  it("names questions that another one follows", () => {
    expect(unanswered("u1 a1 u2 u3 a3")).toEqual(["u2"]);
    expect(unanswered("u1 u2 u3")).toEqual(["u1", "u2"]);
  });

  it("leaves out those whose answer may still come", () => {
    expect(unanswered("u1 u2", true)).toEqual([]);
    expect(unanswered("u1 a1 u2 u3", true)).toEqual([]);
    expect(unanswered("u1 u2 a2 u3", true)).toEqual(["u1"]);
  });
});
