import { tool } from "ai";
import { z } from "zod";

/** Resolves after `seconds`, or rejects with the signal's reason as soon as it aborts. */
export function wait(seconds: number, signal: AbortSignal | undefined): Promise<{ waitedSeconds: number }> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve({ waitedSeconds: seconds });
    }, seconds * 1000);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** `wait({seconds})`: up to five minutes; ends at once when the turn is cancelled. */
export const waitTool = tool({
  description: "Waits for a number of seconds.",
  inputSchema: z.object({ seconds: z.number().min(0).max(300).describe("How many seconds to wait") }),
  execute: ({ seconds }, { abortSignal }) => wait(seconds, abortSignal),
});
