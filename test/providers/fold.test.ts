/** Our reducer and the AI SDK's reader make the same message of what real providers stream. */
import type { UIMessage, UIMessageChunk } from "ai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyChunk, emptyAssistant, startFold } from "../../src/shared/apply-chunk.ts";
import { joinChunks } from "../../src/shared/join-deltas.ts";
import { readBySdk } from "../harness/sdk-reader.ts";
import { chunksBySdk, userMessage } from "./by-sdk.ts";
import { counted, replays } from "./recordings.ts";
import { type ReplayServer, startReplayServer } from "./replay-server.ts";

let server: ReplayServer;
const seen: UIMessage[] = [];

beforeAll(async () => {
  server = await startReplayServer();
});
afterAll(() => server.close());

function fold(chunks: readonly UIMessageChunk[]): UIMessage {
  return chunks.reduce(applyChunk, startFold(emptyAssistant("answer"))).message;
}

function joined(chunks: readonly UIMessageChunk[]): UIMessageChunk[] {
  const result: UIMessageChunk[] = [];
  for (const chunk of chunks) {
    const last = result.at(-1);
    const both = last && joinChunks(last, chunk);
    if (both) result[result.length - 1] = both;
    else result.push(chunk);
  }
  return result;
}

describe(`the fold over ${counted}`, () => {
  it.each(replays)("$provider: $name reads as by the AI SDK, joined or not", async ({ provider, recording }) => {
    const run = server.play(recording);
    const chunks = await chunksBySdk(provider, run.url, [userMessage("u1", "Go on.")]);
    const expected = await readBySdk(chunks, emptyAssistant("answer"));
    expect(run.requests.length).toBeGreaterThanOrEqual(recording.responses.length);
    expect(chunks.some(({ type }) => type === "error")).toBe(recording.isBroken);
    expect(recording.isBroken || expected.parts.length > 0).toBe(true);
    expect(fold(chunks)).toEqual(expected);
    expect(fold(joined(chunks))).toEqual(expected);
    expect(JSON.stringify(fold(joined(chunks)))).toBe(JSON.stringify(fold(chunks)));
    seen.push(expected);
  });

  it("met every kind of part that providers answer with", () => {
    const types = new Set(seen.flatMap(({ parts }) => parts.map(({ type }) => type)));
    expect([...types]).toEqual(
      expect.arrayContaining(["step-start", "text", "reasoning", "tool-weather", "source-url", "file"]),
    );
    const states = seen.flatMap(({ parts }) => parts.flatMap((part) => ("state" in part ? [part.state] : [])));
    expect(states).toEqual(expect.arrayContaining(["done", "streaming", "output-available"]));
  });
});
