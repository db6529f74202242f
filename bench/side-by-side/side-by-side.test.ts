/** The bench itself, in small: every measure of every subject runs, and every client hears every character. No times. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  burstToMany,
  burstToOne,
  coldOpen,
  crowd,
  firstChunk,
  type Measure,
  oneByOne,
  replay,
  seed,
  type Sizes,
} from "./measures.ts";
import { aiChat, floor1, floor2, type Running, start, think, troupe } from "./subjects.ts";
import { missed, ratioTable } from "./table.ts";

const sizes: Sizes = {
  burst: 300,
  clients: 3,
  apart: 20,
  crowd: 3,
  crowdDeltas: 20,
  replay: 300,
  histories: [4, 60],
  repeat: 1,
};
const measures: readonly Measure[] = [firstChunk, burstToOne, burstToMany, oneByOne, replay, coldOpen, crowd];
const subjects = [troupe, floor1, floor2, think, aiChat];

describe.each(subjects.map((subject) => [subject.key, subject] as const))("the subject %s", (key, subject) => {
  let running: Running;
  beforeAll(async () => {
    running = await start(subject);
  });
  afterAll(() => running.stop());

  it("says every character to every client in every measure", async () => {
    await seed(running, sizes);
    const samples: Record<string, number> = {};
    // Each measure throws when a client has heard another text than was said.
    for (const measure of measures) Object.assign(samples, await measure(running, `small-${measure.name}`, sizes));
    expect(samples["apartFrames"]).toBe(sizes.apart);
    if (key === "troupe") expect(samples["burstFrames"]).toBeLessThan(10);
    else expect(samples["burstFrames"]).toBe(sizes.burst);
  });

  it("shows the newest page or everything when a conversation is opened that is not in memory", async () => {
    if (subject.list === null) return;
    await running.tell(`seed/listed?messages=60`);
    await running.tell("drop/listed");
    expect(await running.listed("listed")).toBe(key === "troupe" ? 50 : 60);
  });
});

describe("the table", () => {
  it("shows ratios to the floor of each row, and whether Troupe keeps its own", () => {
    const medians = new Map([
      ["floor-1", { firstChunkMs: 10, burstCpuMs: 1_000 }],
      ["troupe", { firstChunkMs: 12, burstCpuMs: 500 }],
    ]);
    const cells = (row: number) =>
      (ratioTable(medians, [troupe]).split("\n")[row] ?? "").split("|").map((cell) => cell.trim());
    expect(cells(2)).toEqual([
      "",
      "first chunk of a short turn",
      "time",
      "10 ms (floor 1)",
      "× 1.20",
      "≤ 1.6",
      "met",
      "",
    ]);
    expect(cells(3).slice(3, 7)).toEqual(["1000 ms (floor 1)", "× 0.50", "≤ 0.4", "missed"]);
    expect(missed(medians)).toEqual(["burst of 5,000 deltas to one client (processor time)"]);
  });
});
