import { describe, expect, it } from "vitest";
import { inBareAgent } from "../../test/harness/bare-agents.ts";
import { recordingConnection } from "../../test/harness/recording-connection.ts";
import { CHAT_MESSAGE_TYPES } from "../shared/wire.ts";
import { ContinuationState } from "./continuation-state.ts";
import { ResumableStream } from "./resumable-stream.ts";
import { StreamResumeHandler } from "./stream-resume-handler.ts";

const { STREAM_RESUMING, STREAM_RESUME_NONE, STREAM_PENDING } = CHAT_MESSAGE_TYPES;
const chunk = JSON.stringify({ type: "text-start", id: "0" });

function parts(
  body: (given: {
    stream: ResumableStream;
    handler: StreamResumeHandler;
    continuation: ContinuationState;
    again: () => ResumableStream;
  }) => void,
) {
  return inBareAgent((agent) => {
    const stream = new ResumableStream(agent);
    const handler = new StreamResumeHandler(stream);
    body({ stream, handler, continuation: new ContinuationState(), again: () => new ResumableStream(agent) });
  });
}

const neverOrphaned = (streamId: string): never => {
  throw new Error(`${streamId} is not orphaned`);
};

describe("StreamResumeHandler (F195)", () => {
  it("answers none when nothing runs or is decided", () =>
    parts(({ handler, continuation }) => {
      const connection = recordingConnection("c");
      handler.notifyStreamResuming(connection);
      expect(handler.handleResumeRequest(connection, continuation, "p1")).toBe("none");
      expect(connection.frames).toEqual([{ type: STREAM_RESUME_NONE, reason: "idle", probeId: "p1" }]);
      expect(handler.getExclusions()).toEqual([]);
    }));

  it("answers resuming while a stream runs", () =>
    parts(({ stream, handler, continuation }) => {
      stream.start("r1");
      const connection = recordingConnection("c");
      expect(handler.handleResumeRequest(connection, continuation)).toBe("resuming");
      expect(connection.frames).toEqual([{ type: STREAM_RESUMING, id: "r1" }]);
    }));

  it("lets a connection wait for a continuation and offers it when it starts", () =>
    parts(({ stream, handler, continuation }) => {
      continuation.request({ requestId: "r2" });
      const connection = recordingConnection("c");
      expect(handler.handleResumeRequest(connection, continuation, "p1")).toBe("awaiting-continuation");
      continuation.activate();
      stream.start("r2");
      handler.notifyAwaiting(continuation);
      handler.notifyAwaiting(continuation);
      expect(connection.frames).toEqual([
        { type: STREAM_PENDING, id: "r2", probeId: "p1" },
        { type: STREAM_RESUMING, id: "r2" },
      ]);
      expect(handler.getExclusions()).toEqual(["c"]);
    }));

  it("tells waiting connections when nothing will come", () =>
    parts(({ handler, continuation }) => {
      continuation.request({ requestId: "r2" });
      const connection = recordingConnection("c");
      handler.handleResumeRequest(connection, continuation);
      handler.releaseAwaiting(continuation.clearAll());
      expect(connection.frames.at(-1)).toEqual({ type: STREAM_RESUME_NONE, reason: "idle" });
    }));

  it("replays for the right id and nothing for a wrong one", () =>
    parts(({ stream, handler }) => {
      stream.storeChunk(stream.start("r1"), chunk);
      const connection = recordingConnection("c");
      handler.notifyStreamResuming(connection);
      handler.handleResumeAck(connection, "wrong", neverOrphaned);
      expect([connection.frames.length, handler.getExclusions()]).toEqual([1, ["c"]]);
      handler.handleResumeAck(connection, "r1", neverOrphaned);
      expect(connection.frames.slice(1)).toMatchObject([
        { body: chunk, replay: true },
        { body: "", replayComplete: true },
      ]);
      expect(handler.getExclusions()).toEqual([]);
    }));

  it("replays to the end when the stream has ended between offer and acknowledgement", () =>
    parts(({ stream, handler }) => {
      const id = stream.start("r1");
      stream.storeChunk(id, chunk);
      const [connection, other] = [recordingConnection("c"), recordingConnection("d")];
      handler.notifyStreamResuming(connection);
      stream.complete(id);
      stream.start("r2");
      handler.notifyStreamResuming(other);
      handler.handleResumeAck(connection, "r1", neverOrphaned);
      expect(connection.frames.at(-1)).toMatchObject({ id: "r1", body: "", done: true });
      expect(handler.getExclusions()).toEqual(["d"]);
    }));

  it("hands an orphaned stream over to be persisted, once", () =>
    parts(({ stream, again }) => {
      const id = stream.start("r1");
      stream.storeChunk(id, chunk);
      stream.flush();
      const woken = new StreamResumeHandler(again());
      const persisted: string[] = [];
      for (const connection of [recordingConnection("c"), recordingConnection("d")]) {
        woken.handleResumeAck(connection, "r1", (streamId) => persisted.push(streamId));
        expect(connection.frames.at(-1)).toMatchObject({ done: true });
      }
      expect(persisted).toEqual([id]);
    }));

  it("works for a socket that is gone", () =>
    parts(({ stream, handler, continuation }) => {
      stream.start("r1");
      const closed = {
        id: "gone",
        send: () => {
          throw new Error("The socket is closed.");
        },
      };
      expect(handler.handleResumeRequest(closed, continuation)).toBe("resuming");
      handler.forget("gone");
      expect(handler.getExclusions()).toEqual([]);
    }));
});

describe("getExclusions (F196)", () => {
  it("joins connections that were offered the active stream with the caller's own", () =>
    parts(({ stream, handler }) => {
      const id = stream.start("r1");
      handler.notifyStreamResuming(recordingConnection("c"));
      handler.notifyStreamResuming(recordingConnection("d"));
      expect(handler.getExclusions(["d", "e"])).toEqual(["d", "e", "c"]);
      stream.complete(id);
      expect(handler.getExclusions(["e"])).toEqual(["e"]);
    }));

  it("holds nobody back from a stream they were not offered", () =>
    parts(({ stream, handler }) => {
      stream.start("r1");
      handler.notifyStreamResuming(recordingConnection("c"));
      stream.start("r2");
      expect(handler.getExclusions()).toEqual([]);
    }));
});
