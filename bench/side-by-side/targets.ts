/** What is shown of a run: each number, as a ratio to the floor that it is compared with, and the ratio that Troupe is to keep. */

export interface Target {
  /** What was done, in words. */
  readonly work: string;
  readonly counted: "time" | "processor time" | "peak memory";
  /** The name of the number in a sample. */
  readonly value: string;
  readonly floor: "floor-1" | "floor-2";
  /** Most of Troupe's ratio; null: shown only. */
  readonly atMost: number | null;
}

export const targets: readonly Target[] = [
  target("first chunk of a short turn", "time", "firstChunkMs", "floor-1", 1.6),
  target("burst of 5,000 deltas to one client", "processor time", "burstCpuMs", "floor-1", 0.4),
  target("the same to 20 clients", "processor time", "burstManyCpuMs", "floor-1", 0.4),
  target("500 deltas one by one, joining off", "processor time", "apartCpuMs", "floor-1", 1.25),
  target("100 new conversations of 200 deltas at once", "processor time", "crowdCpuMs", "floor-1", 0.8),
  target("100 new conversations at once, above the warm process", "peak memory", "crowdBytes", "floor-1", 1.3),
  target("the same, the whole process", "peak memory", "crowdPeakBytes", "floor-1", null),
  target("2,500 deltas of a running stream to a new client", "time", "replayMs", "floor-2", 1),
  target("the same", "processor time", "replayCpuMs", "floor-2", null),
  target("opening 5,000 messages that are not in memory", "time", "openLongMs", "floor-2", 0.4),
  target("the same", "processor time", "openLongCpuMs", "floor-2", null),
  target("opening 1,000 messages that are not in memory", "time", "openShortMs", "floor-2", null),
];

/** How much longer opening 5,000 messages may take than opening 1,000: not at all, but for noise. */
export const FLAT = { long: "openLongMs", short: "openShortMs", atMost: 1.2 };

function target(
  work: string,
  counted: Target["counted"],
  value: string,
  floor: Target["floor"],
  atMost: number | null,
): Target {
  return { work, counted, value, floor, atMost };
}
