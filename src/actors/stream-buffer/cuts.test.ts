import { describe, expect, it } from "vitest";
import { decodeCuts, encodeCuts, measureCuts } from "./cuts.ts";

describe("cuts", () => {
  it.each([
    [[], []],
    [[3], [3]],
    [
      [2, 2],
      [2, 2],
    ],
    [
      [3, 5, 1, 1, 1, 1],
      [3, 5, -4, 1],
    ],
    [
      [0, 0, 0, 7],
      [-3, 0, 7],
    ],
  ])("keep the lengths %j as %j", (lengths, cuts) => {
    expect(encodeCuts(lengths)).toEqual(cuts);
    expect(decodeCuts(cuts)).toEqual(lengths);
  });

  it("are measured without being spread out", () => {
    expect(measureCuts([3, -1_000_000_000, 2])).toEqual({ deltas: 1_000_000_001, units: 2_000_000_003 });
    expect(measureCuts([])).toEqual({ deltas: 0, units: 0 });
  });

  it.each([[[-3]], [[-3, -1]], [[1.5]], [[Number.NaN]], [[-1e300, 1]], [[Number.POSITIVE_INFINITY]]])(
    "that mean nothing have no measure: %j",
    (cuts) => {
      expect(measureCuts(cuts)).toBeNull();
    },
  );
});
