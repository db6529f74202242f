/** The way to the StreamBuffer during a walk: calls fail when the walk says so, before or after they arrive. */
import type { StreamBufferContract } from "../../../src/actors/stream-buffer/contract.ts";

export class Faults {
  /** How many appends and reads are still to fail. */
  appends = 0;
  reads = 0;
  /** Whether a failing append arrives all the same. */
  isAnswerLost = false;

  clear(): void {
    this.appends = 0;
    this.reads = 0;
  }

  wrap(real: StreamBufferContract): StreamBufferContract {
    return {
      append: async (request) => {
        if (this.appends <= 0) return real.append(request);
        this.appends--;
        if (this.isAnswerLost) await real.append(request);
        throw new Error("the append failed");
      },
      read: async (request) => {
        if (this.reads <= 0) return real.read(request);
        this.reads--;
        throw new Error("the read failed");
      },
      finish: (streamId, atMs) => real.finish(streamId, atMs),
      fail: (streamId, message, atMs) => real.fail(streamId, message, atMs),
      drop: (streamIds) => real.drop(streamIds),
      sweep: (beforeMs) => real.sweep(beforeMs),
    };
  }
}
