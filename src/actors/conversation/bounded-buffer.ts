/** The StreamBuffer as a conversation calls it: one that never answers is an error, and holds neither turns nor readers. */
import type { Clock } from "../../shared/clock.ts";
import { within } from "../../shared/within.ts";
import type { StreamBufferContract } from "../stream-buffer/contract.ts";

/** How long one call may take, in milliseconds. */
export const BUFFER_TIMEOUT_MS = 5_000;

/** The same verbs; each also rejects with `timeout` when there was no answer in time. */
export function boundedBuffer(buffer: StreamBufferContract, clock: Clock): StreamBufferContract {
  const bound = async <T>(answer: Promise<T>): Promise<T> => within(clock, BUFFER_TIMEOUT_MS, answer);
  return {
    append: (request) => bound(buffer.append(request)),
    read: (request) => bound(buffer.read(request)),
    finish: (streamId, atMs) => bound(buffer.finish(streamId, atMs)),
    fail: (streamId, message, atMs) => bound(buffer.fail(streamId, message, atMs)),
    drop: (streamIds) => bound(buffer.drop(streamIds)),
    sweep: (beforeMs) => bound(buffer.sweep(beforeMs)),
  };
}
