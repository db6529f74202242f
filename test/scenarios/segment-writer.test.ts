import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import type { UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { SegmentWriter } from "../../src/actors/conversation/turn/segment-writer.ts";
import type { StreamBufferContract } from "../../src/actors/stream-buffer/contract.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { facet } from "../../src/shared/platform/facet.ts";
import { newStreamBuffer } from "../harness/stream-buffers.ts";

const text = (delta: string): UIMessageChunk => ({ type: "text-delta", id: "t", delta });
const facetOf = (state: DurableObjectState) => facet<StreamBufferContract>(state, "StreamBuffer");

/** A writer inside an object, over a StreamBuffer that is the object's facet. */
function writerIn(state: DurableObjectState, degraded: unknown[]): SegmentWriter {
  const buffer: Pick<StreamBufferContract, "append"> = { append: (request) => facetOf(state).append(request) };
  const onDegraded = (error: unknown) => degraded.push(error);
  return new SegmentWriter({ streamId: "s", buffer, clock: systemClock, onDegraded });
}

describe("a segment's writer over a facet", () => {
  it("stores a turn that the facet keeps when both are evicted", async () => {
    // Any object can be the parent of a facet.
    const parent = newStreamBuffer();
    await runInDurableObject(parent, async (_, state) => {
      const writer = writerIn(state, []);
      for (const chunk of [{ type: "start" }, { type: "text-start", id: "t" }, text("Hel")] as const)
        writer.write(chunk);
      await writer.flush();
      for (const chunk of [text("lo"), text("!"), { type: "text-end", id: "t" }] as const) writer.write(chunk);
      await writer.flush();
      writer.write({ type: "finish" });
      await writer.end({ kind: "finished" });
    });
    await evictDurableObject(parent);
    const page = await runInDurableObject(parent, (_, state) => facetOf(state).read({ streamId: "s", after: 2 }));
    expect(page).toEqual({
      entries: [
        { from: 3, to: 5, chunk: text("Hello!"), cuts: [3, 2, 1] },
        { from: 6, to: 6, chunk: { type: "text-end", id: "t" } },
        { from: 7, to: 7, chunk: { type: "finish" } },
      ],
      lastSeq: 7,
      end: { kind: "finished" },
      more: false,
    });
  });

  it("goes on when the facet is killed between and under its appends", async () => {
    const parent = newStreamBuffer();
    const degraded: unknown[] = [];
    const lastSeq = await runInDurableObject(parent, async (_, state) => {
      const writer = writerIn(state, degraded);
      for (let round = 0; round < 10; round++) {
        writer.write(text(`<${round}>`));
        const flushed = writer.flush();
        if (round % 2 === 0) await flushed;
        state.facets.abort("StreamBuffer", new Error("killed by the test"));
        await flushed;
      }
      await writer.end({ kind: "finished" });
      return writer.storedSeq;
    });
    const { entries } = await runInDurableObject(parent, (_, state) =>
      facetOf(state).read({ streamId: "s", after: 0 }),
    );
    expect(degraded).toEqual([]);
    expect(lastSeq).toBe(10);
    expect(entries).toMatchObject([{ from: 1, to: 10, chunk: text("<0><1><2><3><4><5><6><7><8><9>") }]);
  });
});
