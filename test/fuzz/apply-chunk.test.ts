import type { UIMessage, UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import type { FoldState } from "../../src/shared/apply-chunk.ts";
import { applyChunk, emptyAssistant, finalizeFold, startFold } from "../../src/shared/apply-chunk.ts";
import { joinChunks } from "../../src/shared/join-deltas.ts";
import { deepFreeze } from "../harness/deep-freeze.ts";
import { readBySdk } from "../harness/sdk-reader.ts";
import type { Segment } from "./chunk-lists.ts";
import { randomSegments } from "./chunk-lists.ts";
import type { Random } from "./random.ts";
import { forEachSeed } from "./random.ts";

const asStored = (message: UIMessage): UIMessage => JSON.parse(JSON.stringify(message)) as UIMessage;

function fold(state: FoldState, chunks: readonly UIMessageChunk[]): FoldState {
  return chunks.reduce((before, chunk) => deepFreeze(applyChunk(before, chunk)), state);
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
  it("agrees with the AI SDK's reader in every segment", async () => {
    await forEachSeed(150, async (random) => {
      let message = emptyAssistant("m1");
      for (const { chunks } of randomSegments(random, "m1")) {
        const expected = asStored(await readBySdk(chunks, message));
        message = asStored(finalizeFold(fold(startFold(deepFreeze(message)), deepFreeze(chunks))));
        expect(message).toEqual(expected);
      }
    });
  });

  it("makes the same message of joined deltas", async () => {
    await forEachSeed(150, (random) => {
      const segments = randomSegments(random, "m1");
      const plain = foldSegments(segments, fold);
      expect(foldSegments(segments, (state, chunks) => fold(state, joined(chunks, random)))).toEqual(plain);
    });
  });

  it("makes the same message of a prefix and its rest", async () => {
    await forEachSeed(100, (random) => {
      for (const { chunks } of randomSegments(random, "m1")) {
        const whole = fold(startFold(emptyAssistant("m1")), chunks);
        const cut = random.int(chunks.length + 1);
        const prefix = fold(startFold(emptyAssistant("m1")), chunks.slice(0, cut));
        expect(asStored(fold(prefix, chunks.slice(cut)).message)).toEqual(asStored(whole.message));
      }
    });
  });

  it("goes on from a prefix whose tool input was cut and stored", async () => {
    await forEachSeed(100, async (random) => {
      const input = JSON.stringify({ path: "a", text: "b".repeat(random.int(50)), n: [1, { x: null }] });
      const cut = random.int(input.length);
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
});
