/**
 * Keeps the object awake while a turn runs and wakes it for retention after.
 *
 * One job of the Agent's queue does both: while a turn runs it is a heartbeat,
 * afterwards the time of the next sweep, and with nothing to sweep it is gone.
 * An idle conversation so has no alarm, and a turn costs two of them. A child
 * has no alarm of its own: it holds the root awake and sweeps when it starts
 * its next turn.
 */
import type { Agent } from "agents";
import { LifecycleCapability, type LifecycleJobOutcome } from "agents/lifecycle";
import type { Clock } from "../../shared/clock.ts";
import { logError } from "../../shared/platform/log.ts";

const HEARTBEAT_MS = 30_000;
const JOB_ID = "troupe-awake";

export interface Retention {
  /** How long what a turn leaves behind is kept, in milliseconds. */
  readonly keepMs: number;
  /** Drops what is older than `beforeMs`; tells when the oldest that remains was written, null for nothing. Never rejects. */
  sweep(beforeMs: number): Promise<number | null>;
}

export class KeepAwake extends LifecycleCapability {
  readonly #agent: Agent;
  readonly #clock: Clock;
  readonly #retention: () => Retention;
  #holders = 0;

  constructor(agent: Agent, clock: Clock, retention: () => Retention) {
    super("troupe-awake");
    this.#agent = agent;
    this.#clock = clock;
    this.#retention = retention;
  }

  /** Runs `body` while the object cannot be evicted. Never fails because of the alarm. */
  async hold<T>(body: () => Promise<T>): Promise<T> {
    const release = await this.#acquire();
    try {
      return await body();
    } finally {
      await release();
    }
  }

  /** Called by the Agent's queue when the job is due. */
  async onJob(): Promise<LifecycleJobOutcome> {
    const now = this.#clock.now();
    if (this.#holders > 0) return { rescheduleAt: now + HEARTBEAT_MS };
    const { keepMs, sweep } = this.#retention();
    const oldest = await sweep(now - keepMs);
    return oldest === null ? undefined : { rescheduleAt: oldest + keepMs };
  }

  async #acquire(): Promise<() => Promise<void>> {
    if (this.#agent.parentPath.length > 0) return this.#acquireOfRoot();
    if (++this.#holders === 1) await this.#wakeAt(this.#clock.now() + HEARTBEAT_MS);
    return async () => {
      if (--this.#holders === 0) await this.#wakeAt(this.#clock.now() + this.#retention().keepMs);
    };
  }

  async #acquireOfRoot(): Promise<() => Promise<void>> {
    void this.#sweepNow();
    try {
      const release = await this.#agent.keepAlive();
      return async () => release();
    } catch (error) {
      logError("keep-awake.failed", error);
      return async () => undefined;
    }
  }

  /** What a child does instead of an alarm. Not awaited: a turn does not wait for what earlier ones left behind. */
  async #sweepNow(): Promise<void> {
    const { keepMs, sweep } = this.#retention();
    await sweep(this.#clock.now() - keepMs);
  }

  async #wakeAt(time: number): Promise<void> {
    try {
      await this.lifecycle.jobs.push({ id: JOB_ID, fn: "wake", time });
    } catch (error) {
      logError("keep-awake.failed", error);
    }
  }
}
