/** Random numbers that come again with the same seed. */
export interface Random {
  /** An integer from 0 up to, not including, `limit`. */
  below(limit: number): number;
  /** True this often, from 0 to 1. */
  chance(probability: number): boolean;
  pick<T>(values: readonly [T, ...T[]]): T;
}

/** The generator mulberry32: 32 bits of state, good enough to find bugs. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: <T>(values: readonly [T, ...T[]]): T => values[below(values.length)] as T,
  };
}
