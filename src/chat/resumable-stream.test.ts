import type { UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { inBareAgent } from "../../test/harness/bare-agents.ts";
import { manualClock } from "../../test/harness/manual-clock.ts";
import type { RecordingConnection } from "../../test/harness/recording-connection.ts";
import { recordingConnection } from "../../test/harness/recording-connection.ts";
import { StreamAccumulator } from "../shared/stream-accumulator.ts";
import type { ResponseFrame } from "../shared/wire.ts";
import { ResumableStream } from "./resumable-stream.ts";

const words = Array.from({ length: 25 }, (_, at) => `wörd${at} 😀 `);
const answer: UIMessageChunk[] = [
  { type: "start", messageId: "m1" },
  { type: "text-start", id: "0" },
  ...words.map((delta): UIMessageChunk => ({ type: "text-delta", id: "0", delta })),
  { type: "text-end", id: "0" },
];

const store = (stream: ResumableStream, id: string, chunks: readonly UIMessageChunk[]) =>
  chunks.forEach((chunk) => stream.storeChunk(id, JSON.stringify(chunk)));

function replayed({ frames }: RecordingConnection) {
  const responses = frames as ResponseFrame[];
  const message = new StreamAccumulator({ messageId: "m1" });
  for (const { body } of responses) if (body.startsWith("{")) message.applyChunk(JSON.parse(body) as UIMessageChunk);
  return { message: message.message, last: responses.at(-1), count: responses.length };
}

const folded = (chunks: readonly UIMessageChunk[]) => {
  const message = new StreamAccumulator({ messageId: "m1" });
  for (const chunk of chunks) message.applyChunk(chunk);
  return message.message;
};

describe("ResumableStream (F76)", () => {
  it("replays at every point what was stored until then, in few frames, and says that more follows", async () => {
    await inBareAgent((agent) => {
      const stream = new ResumableStream(agent);
      const id = stream.start("r1");
      for (let length = 0; length <= answer.length; length++) {
        if (length > 0) store(stream, id, answer.slice(length - 1, length));
        const connection = recordingConnection("c");
        expect(stream.replayChunks(connection, "r1")).toBeNull();
        const { message, last, count } = replayed(connection);
        expect(message).toEqual(folded(answer.slice(0, length)));
        expect(last).toMatchObject({ id: "r1", body: "", done: false, replay: true, replayComplete: true });
        expect(count).toBeLessThanOrEqual(5);
      }
    });
  });

  it("tells which stream is active", async () => {
    await inBareAgent((agent) => {
      const stream = new ResumableStream(agent);
      const shape = () => [stream.hasActiveStream(), stream.activeRequestId, stream.activeStreamId];
      expect(shape()).toEqual([false, null, null]);
      const id = stream.start("r1");
      expect(shape()).toEqual([true, "r1", id]);
      stream.complete(id);
      expect(shape()).toEqual([false, null, null]);
    });
  });

  it("ends the replay of a stream that has ended", async () => {
    await inBareAgent((agent) => {
      const stream = new ResumableStream(agent);
      const good = stream.start("good");
      store(stream, good, answer);
      stream.complete(good);
      const bad = stream.start("bad");
      store(stream, bad, answer.slice(0, 5));
      stream.markError(bad);
      const [first, second] = [recordingConnection("a"), recordingConnection("b")];
      expect([stream.replayChunks(first, "good"), stream.replayChunks(second, "bad")]).toEqual([null, null]);
      expect(replayed(first)).toMatchObject({ message: folded(answer), last: { body: "", done: true } });
      expect(replayed(second)).toMatchObject({
        message: folded(answer.slice(0, 5)),
        last: { done: true, error: true },
      });
    });
  });

  it("sends nothing for a request it does not know", async () => {
    await inBareAgent((agent) => {
      const stream = new ResumableStream(agent);
      stream.start("r1");
      const connection = recordingConnection("c");
      expect(stream.replayChunks(connection, "r2")).toBeNull();
      expect(connection.frames).toEqual([]);
    });
  });

  it("finds the stream that lost its producer, ends it with its first replay, and names it to be persisted", async () => {
    await inBareAgent((agent) => {
      const before = new ResumableStream(agent);
      const id = before.start("r1");
      store(before, id, answer.slice(0, 14));
      const after = new ResumableStream(agent);
      expect([after.hasActiveStream(), after.activeRequestId, after.activeStreamId]).toEqual([true, "r1", id]);
      const connection = recordingConnection("c");
      expect(after.replayChunks(connection, "r1")).toBe(id);
      expect(replayed(connection)).toMatchObject({ message: folded(answer.slice(0, 10)), last: { done: true } });
      expect(folded(after.chunks(id))).toEqual(folded(answer.slice(0, 10)));
      expect([after.hasActiveStream(), new ResumableStream(agent).hasActiveStream()]).toEqual([false, false]);
    });
  });

  it("takes no more chunks of a stream that is not the active, living one", async () => {
    await inBareAgent((agent) => {
      const stream = new ResumableStream(agent);
      const first = stream.start("r1");
      const second = stream.start("r2");
      store(stream, first, answer);
      store(new ResumableStream(agent), second, answer);
      stream.flush();
      expect([stream.chunks(first), stream.chunks(second)]).toEqual([[], []]);
    });
  });

  it("writes ten chunks at a time, and at once what is large", async () => {
    await inBareAgent((agent) => {
      const rows = () => agent.sql<{ n: number }>`SELECT COUNT(*) AS n FROM cf_chat_stream_chunks`[0]?.n;
      const stream = new ResumableStream(agent);
      const id = stream.start("r1");
      store(stream, id, answer.slice(0, 9));
      expect(rows()).toBe(0);
      store(stream, id, answer.slice(9, 10));
      expect(rows()).toBe(1);
      store(stream, id, [{ type: "data-big", data: "x".repeat(70_000) }]);
      expect(rows()).toBe(2);
    });
  });

  it("keeps a chunk that is larger than a row", async () => {
    await inBareAgent((agent) => {
      const stream = new ResumableStream(agent);
      const id = stream.start("r1");
      const big: UIMessageChunk[] = ["", "x"].map((pad) => ({ type: "data-big", data: pad + "😀語".repeat(700_000) }));
      store(stream, id, big);
      expect(stream.chunks(id)).toEqual(big);
    });
  });

  it("leaves out chunks that cannot be read", async () => {
    await inBareAgent((agent) => {
      const stream = new ResumableStream(agent);
      const id = stream.start("r1");
      for (const body of ['{"type":\n"start-step"}', "not json", "7", "null", '{"type":"finish-step"}'])
        stream.storeChunk(id, body);
      expect(stream.chunks(id)).toEqual([{ type: "start-step" }, { type: "finish-step" }]);
    });
  });

  it("forgets everything when cleared, and old streams after a day", async () => {
    await inBareAgent((agent) => {
      const clock = manualClock();
      const stream = new ResumableStream(agent, clock);
      const old = stream.start("old");
      store(stream, old, answer);
      stream.complete(old);
      clock.advance(25 * 60 * 60 * 1000);
      const fresh = stream.start("fresh");
      expect([stream.chunks(old).length, stream.activeStreamId]).toEqual([0, fresh]);
      store(stream, fresh, answer);
      stream.clearAll();
      expect([stream.hasActiveStream(), stream.chunks(fresh)]).toEqual([false, []]);
      const connection = recordingConnection("c");
      stream.replayChunks(connection, "fresh");
      expect(connection.frames).toEqual([]);
    });
  });
});
