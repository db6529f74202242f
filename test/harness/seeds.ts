/** The seeds of a fuzz test: always the same ones, or the one that `FUZZ_SEED=<n>` asks to see again. */
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The environment variable `FUZZ_SEED`; empty if it is not set. */
    fuzzSeed: string;
    /** The environment variable `FUZZ_STEPS`; empty if it is not set. */
    fuzzSteps: string;
  }
}

/** 1 to `count`, unless one is asked for. Put the seed into the test's name, so that a failure tells it. */
export function seeds(count: number): number[] {
  const asked = inject("fuzzSeed");
  return asked === "" ? Array.from({ length: count }, (_, at) => at + 1) : [Number(asked)];
}
