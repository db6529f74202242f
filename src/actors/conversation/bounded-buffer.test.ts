import { expect, it } from "vitest";
import { manualClock } from "../../../test/harness/manual-clock.ts";
import type { StreamBufferContract } from "../stream-buffer/contract.ts";
import { boundedBuffer, BUFFER_TIMEOUT_MS } from "./bounded-buffer.ts";

const silent = new Proxy({}, { get: () => () => Promise.withResolvers().promise }) as StreamBufferContract;

it.each<[keyof StreamBufferContract, (buffer: StreamBufferContract) => Promise<unknown>]>([
  ["append", (buffer) => buffer.append({ streamId: "s", entries: [], atMs: 0 })],
  ["read", (buffer) => buffer.read({ streamId: "s", after: 0 })],
  ["finish", (buffer) => buffer.finish("s", 0)],
  ["fail", (buffer) => buffer.fail("s", "no", 0)],
  ["drop", (buffer) => buffer.drop(["s"])],
  ["sweep", (buffer) => buffer.sweep(0)],
])("gives %s up when the buffer never answers, and leaves no timer", async (_, call) => {
  const clock = manualClock();
  const answer = call(boundedBuffer(silent, clock, {}));
  clock.advance(BUFFER_TIMEOUT_MS);
  await expect(answer).rejects.toMatchObject({ code: "timeout", retryable: true });
  expect(clock.pending).toBe(0);
});
