/**
 * Runs turns one after the other. Owns the order and the generation: whatever
 * was queued before `reset()` never runs after it. A turn that is running is
 * left alone; its owner compares generations before it writes.
 */

export type TurnResult<T> = { readonly status: "completed"; readonly value: T } | { readonly status: "stale" };

export interface EnqueueOptions {
  /** The generation in which the turn was decided; default: the current one. An older one is stale at once. */
  readonly generation?: number;
  /** Called once, before the promise settles, when the turn will never run; inside `reset()` for queued turns. Must not throw. */
  readonly onStale?: () => void;
}

interface Entry {
  readonly requestId: string;
  readonly onStale: (() => void) | undefined;
  /** Resolves when the entry is first in line, or out of it. */
  readonly called: PromiseWithResolvers<void>;
  /** Resolves when the entry has run, or never will. */
  readonly ended: PromiseWithResolvers<void>;
}

export class TurnQueue {
  #generation = 0;
  #active: Entry | null = null;
  #waiting: Entry[] = [];

  /** Counts resets. */
  get generation(): number {
    return this.#generation;
  }

  get isActive(): boolean {
    return this.#active !== null;
  }

  /** The request whose turn runs. */
  get activeRequestId(): string | null {
    return this.#active?.requestId ?? null;
  }

  /** Turns that wait; the running one is not counted. */
  queuedCount(): number {
    return this.#waiting.length;
  }

  /**
   * Runs `run` after everything enqueued before it; at once, before this call
   * returns, when the queue is idle. The promise has the outcome of `run`: what
   * it throws rejects this promise only, and the queue goes on.
   */
  async enqueue<T>(requestId: string, run: () => Promise<T>, options: EnqueueOptions = {}): Promise<TurnResult<T>> {
    if (options.generation !== undefined && options.generation !== this.#generation) {
      options.onStale?.();
      return { status: "stale" };
    }
    const entry = newEntry(requestId, options.onStale);
    if (this.#next()) {
      this.#waiting.push(entry);
      await entry.called.promise;
      if (this.#waiting[0] !== entry) return { status: "stale" };
      this.#waiting.shift();
    }
    this.#active = entry;
    try {
      return { status: "completed", value: await run() };
    } finally {
      this.#active = null;
      this.#waiting[0]?.called.resolve();
      entry.ended.resolve();
    }
  }

  /** Starts a new generation: turns that wait are stale, now. The running turn is not touched. */
  reset(): void {
    this.#generation++;
    const stale = this.#waiting;
    this.#waiting = [];
    for (const entry of stale) {
      entry.called.resolve();
      entry.ended.resolve();
      entry.onStale?.();
    }
  }

  /** Resolves when no turn runs or waits. */
  async waitForIdle(): Promise<void> {
    for (let entry = this.#next(); entry; entry = this.#next()) await entry.ended.promise;
  }

  #next(): Entry | undefined {
    return this.#active ?? this.#waiting[0];
  }
}

function newEntry(requestId: string, onStale: (() => void) | undefined): Entry {
  return { requestId, onStale, called: Promise.withResolvers<void>(), ended: Promise.withResolvers<void>() };
}
