/** A bound on how long an answer of another actor is waited for. */
import type { Clock } from "./clock.ts";
import { TroupeError } from "./errors.ts";

/** The promise, or a `timeout` error after `ms`. What the promise does later is ignored. */
export async function within<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const stop = clock.after(ms, () =>
    reject(new TroupeError("timeout", `No answer within ${ms} ms.`, { retryable: true })),
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    stop();
  }
}
