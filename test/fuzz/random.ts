/** Randomness that can be replayed: everything a fuzz test draws comes from one printed seed. */

export interface Random {
  readonly seed: number;
  /** A whole number from 0 to `below` - 1. */
  int(below: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
}

/** Mulberry32, after Tommy Ettinger: 32 bits of state, good enough to vary tests. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    seed,
    int: (below) => Math.floor(next() * below),
    chance: (probability) => next() < probability,
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
  };
}

/** `count` fresh seeds, or only the one in the environment variable `VITE_FUZZ_SEED`. */
export function fuzzSeeds(count: number): number[] {
  const { env } = import.meta as { env?: Record<string, string | undefined> };
  const replay = env?.["VITE_FUZZ_SEED"];
  if (replay !== undefined && replay !== "") return [Number(replay)];
  const first = Math.floor(Math.random() * 2 ** 31);
  return Array.from({ length: count }, (_, index) => first + index);
}

/** Runs `body` for each seed; a failure names the seed that replays it. */
export async function forEachSeed(count: number, body: (random: Random) => void | Promise<void>): Promise<void> {
  for (const seed of fuzzSeeds(count)) {
    try {
      await body(seeded(seed));
    } catch (error) {
      throw new Error(`Failed with seed ${seed}; replay with VITE_FUZZ_SEED=${seed}`, { cause: error });
    }
  }
}
