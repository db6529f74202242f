import type { UIMessage, UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import type { FoldState } from "../../src/shared/apply-chunk.ts";
import { applyChunk, emptyAssistant, finalizeFold, startFold } from "../../src/shared/apply-chunk.ts";
import { joinChunks } from "../../src/shared/join-deltas.ts";
import { deepFreeze } from "../harness/deep-freeze.ts";
import { type Random, randomFrom } from "../harness/random.ts";
import { readBySdk } from "../harness/sdk-reader.ts";
import { seeds } from "../harness/seeds.ts";
import type { Segment } from "./chunk-lists.ts";
import { randomSegments } from "./chunk-lists.ts";

const asStored = (message: UIMessage): UIMessage => JSON.parse(JSON.stringify(message)) as UIMessage;

function fold(state: FoldState, chunks: readonly UIMessageChunk[]): FoldState {
  return chunks.reduce((before, chunk, at) => {
    const next = deepFreeze(applyChunk(before, chunk));
    // Whether somebody looks between two deltas makes no difference to what comes of them.
    if (at % 3 === 0) deepFreeze(next.message);
    return next;
  }, state);
}

function joined(chunks: readonly UIMessageChunk[], random: Random): UIMessageChunk[] {
  const out: UIMessageChunk[] = [];
  for (const chunk of chunks) {
    const last = out.at(-1);
    const both = last && random.chance(0.8) ? joinChunks(last, chunk) : null;
    if (both) out[out.length - 1] = both;
    else out.push(chunk);
  }
  return out;
}

/** Folds the segments one after the other, each from the stored message of the one before. */
function foldSegments(
  segments: readonly Segment[],
  foldOne: (state: FoldState, chunks: UIMessageChunk[]) => FoldState,
) {
  let message = emptyAssistant("m1");
  for (const { chunks } of segments) message = asStored(finalizeFold(foldOne(startFold(deepFreeze(message)), chunks)));
  return message;
}

describe("the fold over random answers", () => {
  it.for(seeds(100))("agrees with the AI SDK's reader in every segment (seed %i)", async (seed) => {
    const random = randomFrom(seed);
    let message = emptyAssistant("m1");
    for (const { chunks } of randomSegments(random, "m1")) {
      const expected = asStored(await readBySdk(chunks, message));
      message = asStored(finalizeFold(fold(startFold(deepFreeze(message)), deepFreeze(chunks))));
      expect(message).toEqual(expected);
    }
  });

  it.for(seeds(60))("makes the same message of joined deltas (seed %i)", (seed) => {
    const random = randomFrom(seed);
    const segments = randomSegments(random, "m1");
    const plain = foldSegments(segments, fold);
    expect(foldSegments(segments, (state, chunks) => fold(state, joined(chunks, random)))).toEqual(plain);
  });

  it.for(seeds(100))("makes the same message of a prefix and its rest (seed %i)", (seed) => {
    const random = randomFrom(seed);
    for (const { chunks } of randomSegments(random, "m1")) {
      const whole = fold(startFold(emptyAssistant("m1")), chunks);
      const cut = random.below(chunks.length + 1);
      const prefix = fold(startFold(emptyAssistant("m1")), chunks.slice(0, cut));
      expect(asStored(fold(prefix, chunks.slice(cut)).message)).toEqual(asStored(whole.message));
    }
  });

  it.for(seeds(100))("goes on from a prefix whose tool input was cut and stored (seed %i)", async (seed) => {
    const random = randomFrom(seed);
    const input = JSON.stringify({ path: "a", text: "b".repeat(random.below(50)), n: [1, { x: null }] });
    const cut = random.below(input.length);
    const start: UIMessageChunk[] = [
      { type: "start", messageId: "m1" },
      { type: "start-step" },
      { type: "tool-input-start", toolCallId: "c", toolName: "write" },
      { type: "tool-input-delta", toolCallId: "c", inputTextDelta: input.slice(0, cut) },
    ];
    const rest: UIMessageChunk[] = [{ type: "tool-input-delta", toolCallId: "c", inputTextDelta: input.slice(cut) }];
    const stored = asStored(finalizeFold(fold(startFold(emptyAssistant("m1")), start)));
    expect(asStored(await readBySdk(start))).toEqual(stored);
    expect(asStored(finalizeFold(fold(startFold(stored), rest)))).toEqual(asStored(await readBySdk(rest, stored)));
  });
});
