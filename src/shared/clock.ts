/** Time as an argument: what waits or stamps takes a clock, so that tests hold it in their hand. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls `fire` once after `ms`, unless the returned function is called first. */
  after(ms: number, fire: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, fire) => {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};
