import { describe, expect, it } from "vitest";
import {
  newRegenerate,
  newRequest,
  nextRequestState,
  REQUEST_EVENTS,
  REQUEST_STATES,
  requestFrame,
} from "./own-request.ts";

describe("an own request", () => {
  it("is a full table of states by events", () => {
    const rows = REQUEST_STATES.map((state) =>
      [state, ...REQUEST_EVENTS.map((event) => nextRequestState(state, event))].join(" "),
    );
    expect(rows).toEqual([
      "queued sent queued streaming queued ended",
      "sent sent pending streaming queued ended",
      "pending pending pending streaming pending ended",
      "streaming streaming streaming streaming streaming ended",
      "ended ended ended ended ended ended",
    ]);
  });

  it("names the message to answer again when it regenerates", () => {
    const asked = { id: "u1", role: "user" as const, parts: [] };
    const again = JSON.parse(requestFrame(newRegenerate("r2", asked, asked.id)).init.body) as unknown;
    expect(again).toEqual({ messages: [asked], trigger: "regenerate-message", messageId: "u1" });
    const first = JSON.parse(requestFrame(newRequest("r1", [asked])).init.body) as unknown;
    expect(first).toEqual({ messages: [asked], trigger: "submit-message" });
  });
});
