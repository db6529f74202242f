/** The way to a real StreamBuffer, flushed by hand: a call waits until the test lets it through, or loses it. */
import type { AppendRequest, AppendResult, StreamBufferContract } from "../../src/actors/stream-buffer/contract.ts";

/** What happens to a call: it never arrives, or it arrives and its answer is lost. */
export type Loss = "request" | "answer" | null;

export class HeldBuffer implements Pick<StreamBufferContract, "append"> {
  /** Every append that was asked for. */
  readonly calls: AppendRequest[] = [];
  readonly #waiting: ((loss: Loss) => Promise<void>)[] = [];
  readonly #connect: () => Pick<StreamBufferContract, "append">;

  /** `connect` is asked for a stub on each call. */
  constructor(connect: () => Pick<StreamBufferContract, "append">) {
    this.#connect = connect;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  append(request: AppendRequest): Promise<AppendResult> {
    this.calls.push(request);
    const { promise, resolve, reject } = Promise.withResolvers<AppendResult>();
    this.#waiting.push(async (loss) => {
      const answer = loss === "request" ? null : await this.#connect().append(request);
      if (answer === null || loss === "answer") reject(new Error(`the ${loss} was lost`));
      else resolve(answer);
    });
    return promise;
  }

  /** Lets the oldest waiting call through and returns when the caller has dealt with the outcome. */
  async release(loss: Loss = null): Promise<void> {
    await this.#waiting.shift()?.(loss);
    await scheduler.wait(0);
  }

  /** Lets calls through until none waits. */
  async releaseAll(): Promise<void> {
    while (this.waiting > 0) await this.release();
  }
}
