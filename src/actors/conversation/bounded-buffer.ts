/** The StreamBuffer as a conversation calls it: one that never answers is an error, and holds neither turns nor readers. */
import type { Clock } from "../../shared/clock.ts";
import { within } from "../../shared/within.ts";
import type { StreamBufferContract } from "../stream-buffer/contract.ts";

/** How long one call may take, in milliseconds. */
export const BUFFER_TIMEOUT_MS = 5_000;

/** The same verbs; each also rejects with `timeout` when there was no answer in time, and is counted in `calls` by its name. */
export function boundedBuffer(
  buffer: StreamBufferContract,
  clock: Clock,
  calls: Record<string, number>,
): StreamBufferContract {
  const bound = async <T>(verb: keyof StreamBufferContract, answer: Promise<T>): Promise<T> => {
    calls[verb] = (calls[verb] ?? 0) + 1;
    return within(clock, BUFFER_TIMEOUT_MS, answer);
  };
  return {
    append: (request) => bound("append", buffer.append(request)),
    read: (request) => bound("read", buffer.read(request)),
    finish: (streamId, atMs) => bound("finish", buffer.finish(streamId, atMs)),
    fail: (streamId, message, atMs) => bound("fail", buffer.fail(streamId, message, atMs)),
    drop: (streamIds) => bound("drop", buffer.drop(streamIds)),
    sweep: (beforeMs) => bound("sweep", buffer.sweep(beforeMs)),
  };
}
