import { describe, expect, it } from "vitest";
import { LINK_EVENTS, LINK_STATES, linkEventOfClose, nextLinkState } from "./link.ts";

describe("the link", () => {
  it("is a full table of states by events", () => {
    const rows = LINK_STATES.map((state) =>
      [state, ...LINK_EVENTS.map((event) => nextLinkState(state, event))].join(" "),
    );
    expect(rows).toEqual([
      "connecting connecting open closed closed-for-good",
      "open open open closed closed-for-good",
      "closed connecting open closed closed-for-good",
      "closed-for-good connecting closed-for-good closed-for-good closed-for-good",
    ]);
  });

  it("takes refusals for good and everything else for a passing trouble", () => {
    expect([4401, 4403, 1008].map(linkEventOfClose)).toEqual(["refused", "refused", "refused"]);
    expect([1000, 1001, 1006, 1011, 1012, 4000].map(linkEventOfClose)).toEqual(Array(6).fill("lost"));
  });
});
