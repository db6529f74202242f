/** A run: every measure of every subject in turn, round after round, so that a noisy moment of the machine meets all alike. */
import { type Measure, median, type Sample, seed, type Sizes, warmUp } from "./measures.ts";
import type { Running } from "./subjects.ts";

/** The median of every number, by subject. */
export type Medians = ReadonlyMap<string, Readonly<Record<string, number>>>;

export interface Run {
  readonly rounds: number;
  readonly sizes: Sizes;
  readonly measures: readonly Measure[];
  /** Those that take long: taken in every second round, beginning with the first. */
  readonly rare: readonly Measure[];
  /** Told what is being done. */
  progress(text: string): void;
}

export async function runRounds(subjects: readonly Running[], run: Run): Promise<Medians> {
  const samples = new Map<string, Sample[]>(subjects.map(({ subject }) => [subject.key, []]));
  run.progress("warming up");
  for (const running of subjects) {
    await warmUp(running, "warm-up");
    await seed(running, run.sizes);
  }
  for (let round = 1; round <= run.rounds; round++) {
    const measures = round % 2 === 1 ? [...run.measures, ...run.rare] : run.measures;
    for (const measure of measures) {
      run.progress(`round ${round} of ${run.rounds}: ${measure.name}`);
      for (const running of subjects) {
        const sample = await measure(running, `${measure.name}-${round}`, run.sizes);
        samples.get(running.subject.key)?.push(sample);
      }
    }
  }
  return new Map([...samples].map(([key, taken]) => [key, mediansOf(taken)]));
}

function mediansOf(samples: readonly Sample[]): Record<string, number> {
  const names = new Set(samples.flatMap((sample) => Object.keys(sample)));
  return Object.fromEntries([...names].map((name) => [name, median(samples.flatMap((sample) => sample[name] ?? []))]));
}
