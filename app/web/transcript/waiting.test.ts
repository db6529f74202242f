import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { waitingIds } from "./waiting.ts";

const list = (ids: string): UIMessage[] =>
  ids.split(" ").map((id) => ({ id, role: id.startsWith("u") ? "user" : "assistant", parts: [] }));
const waiting = (ids: string, streamingId: string | null, own: string[] = []) => [
  ...waitingIds({ messages: list(ids), streamingId, waitingIds: own }),
];

describe("waitingIds", () => {
  it("names what stands behind the answer that grows, whoever sent it", () => {
    expect(waiting("u1 a1 u2 u3", "a1")).toEqual(["u2", "u3"]);
    expect(waiting("u1 a1 u2 u3", "a1", ["u3"])).toEqual(["u3", "u2"]);
  });

  it("names only own messages while no answer grows, or an older one is answered again", () => {
    expect(waiting("u1 u2", null)).toEqual([]);
    expect(waiting("u1 u2", null, ["u2"])).toEqual(["u2"]);
    expect(waiting("u1 a1 u2 a2 u3", "a1")).toEqual([]);
  });
});
