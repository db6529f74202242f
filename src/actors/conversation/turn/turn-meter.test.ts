import { describe, expect, it } from "vitest";
import { TurnMeter } from "./turn-meter.ts";

describe("a turn meter", () => {
  it("knows nothing before the first turn", () => {
    expect(new TurnMeter().newest()).toBeNull();
  });

  it("counts what is done between the begin and the end of a turn, and nothing else", () => {
    const meter = new TurnMeter();
    meter.totals.statements += 5;
    meter.totals.actorCalls["append"] = 2;
    meter.begin("r1", 1_000);
    meter.totals.statements += 3;
    meter.totals.actorCalls["append"] = 4;
    meter.totals.actorCalls["sweep"] = 1;
    meter.end("r1", 1_500);
    meter.totals.statements += 100;
    expect(meter.newest()).toMatchObject({
      requestId: "r1",
      cost: { startedAtMs: 1_000, endedAtMs: 1_500, statements: 3, actorCalls: { append: 2, sweep: 1 } },
    });
  });

  it("tells of a running turn what it has cost so far", () => {
    const meter = new TurnMeter();
    meter.begin("r1", 1_000);
    meter.totals.frames += 2;
    expect(meter.newest()?.cost).toMatchObject({ endedAtMs: null, frames: 2, actorCalls: {} });
  });

  it("begins once, ends once, and measures a request id anew when it comes again", () => {
    const meter = new TurnMeter();
    meter.begin("r1", 1);
    meter.totals.frames += 1;
    meter.begin("r1", 2);
    meter.end("r2", 3);
    meter.end("r1", 4);
    meter.end("r1", 5);
    expect(meter.newest()?.cost).toMatchObject({ startedAtMs: 1, endedAtMs: 4, frames: 1 });
    meter.begin("r1", 6);
    expect(meter.newest()?.cost).toMatchObject({ startedAtMs: 6, endedAtMs: null, frames: 0 });
  });
});
