import { describe, expect, it } from "vitest";
import { calculate } from "./calculate.ts";
import { currentTime } from "./current-time.ts";
import { rollDice } from "./roll-dice.ts";
import { wait } from "./wait.ts";

describe("calculate", () => {
  it.each([
    ["2 + 3 * 4", 14],
    ["(3 + 4) * sqrt(4)", 14],
    ["2 ** 10", 1024],
    ["10 % 4", 2],
    ["1e3 + 1", 1001],
    ["max(1, 2, min(9, 3))", 3],
    ["cos(2 * pi)", 1],
    ["5!", 120],
    ["6 × 7 ÷ 2", 21],
  ])("gives %s = %d", (expression, value) => {
    expect(calculate(expression)).toBeCloseTo(value, 12);
  });

  it.each([
    "constructor",
    "toString()",
    "__proto__",
    "a = 1",
    "f(x) = x",
    '"a" || "b"',
    "[1, 2]",
    "1; 2",
    "(1).constructor",
    "random()",
    "x + 1",
    "1 / 0",
    "1 < 2",
    "",
    "1 + 1".repeat(100),
  ])("refuses %j", (expression) => {
    expect(() => calculate(expression)).toThrow();
  });
});

describe("currentTime", () => {
  const now = new Date("2026-01-02T03:04:05Z");

  it("tells the time of a zone", () => {
    expect(currentTime("Asia/Tokyo", now)).toEqual({
      timeZone: "Asia/Tokyo",
      iso: "2026-01-02T03:04:05.000Z",
      text: expect.stringContaining("12:04:05"),
    });
  });

  it("explains an unknown zone", () => {
    expect(() => currentTime("Mars/Olympus", now)).toThrow('"Mars/Olympus" is not a time zone');
  });
});

describe("rollDice", () => {
  it("adds up dice from 1 to the number of sides", () => {
    const numbers = [0, 0.5, 0.999];
    expect(rollDice(6, 3, () => numbers.shift() ?? 0)).toEqual({ rolls: [1, 4, 6], total: 11 });
  });
});

describe("wait", () => {
  it("says how long it waited", async () => {
    expect(await wait(0, undefined)).toEqual({ waitedSeconds: 0 });
  });

  it("ends at once when the turn is cancelled", async () => {
    const turn = new AbortController();
    const waiting = wait(300, turn.signal);
    turn.abort(new Error("cancelled"));
    await expect(waiting).rejects.toThrow("cancelled");
    await expect(wait(300, turn.signal)).rejects.toThrow("cancelled");
  });
});
