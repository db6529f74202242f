/**
 * Recordings of real providers through the whole path: the provider's own
 * package, a turn in the Workers runtime, storage, sockets, a restart, and the
 * request of the next turn.
 */
import type { UIMessage } from "ai";
import { createTestHarness, type TestHarness } from "wrangler";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeOpenParts, emptyAssistant } from "../../src/shared/apply-chunk.ts";
import { CHAT_MESSAGE_TYPES, type ServerFrame } from "../../src/shared/wire.ts";
import { readBySdk } from "../harness/sdk-reader.ts";
import { chunksBySdk, userMessage } from "./by-sdk.ts";
import { ChatClient } from "./chat-client.ts";
import { nameOf, type RunName } from "./conversation-under-test.ts";
import { counted, type Recording, replays } from "./recordings.ts";
import { type ReplayServer, startReplayServer } from "./replay-server.ts";

let server: ReplayServer;
let worker: TestHarness;
let origin: string;

beforeAll(async () => {
  server = await startReplayServer();
  worker = createTestHarness({
    root: process.cwd(),
    workers: [{ configPath: "test/harness/providers/wrangler.jsonc", vars: { REPLAY_URL: server.url } }],
  });
  origin = (await worker.listen()).url.origin;
});
afterAll(async () => {
  await worker.close();
  await server.close();
});

const first = userMessage("u1", "Go on.");
const second = userMessage("u2", "And then?");

function urlOf(run: RunName): string {
  return `${origin}/agents/provider-agent/${nameOf(run)}`;
}

async function stored(url: string): Promise<UIMessage[]> {
  return (await (await fetch(`${url}/get-messages`)).json()) as UIMessage[];
}

async function restart(run: RunName): Promise<void> {
  await fetch(`${origin}/restart/${nameOf(run)}`);
}

type Resuming = Extract<ServerFrame, { type: typeof CHAT_MESSAGE_TYPES.STREAM_RESUMING }>;
const isResuming = (frame: ServerFrame): frame is Resuming => frame.type === CHAT_MESSAGE_TYPES.STREAM_RESUMING;

/** Sends the first message, lets a second client join in the middle and a third one come after the end. */
async function playTurn(provider: RunName["provider"], recording: Recording) {
  const reached = Promise.withResolvers<void>();
  const joined = Promise.withResolvers<void>();
  const middle = Math.floor((recording.responses[0]?.length ?? 0) / 2);
  const play = server.play(recording, {
    after: middle,
    reached: () => {
      reached.resolve();
      return joined.promise;
    },
  });
  const run: RunName = { provider, key: play.key, prompt: "whole" };
  const url = urlOf(run);
  const live = await ChatClient.connect(url);
  live.submit("r1", [first]);
  await reached.promise;
  const joining = await ChatClient.connect(url);
  await joining.frame(isResuming);
  joining.send({ type: CHAT_MESSAGE_TYPES.STREAM_RESUME_ACK, id: "r1" });
  joined.resolve();
  const end = await live.end("r1");
  await joining.end("r1");
  const late = await ChatClient.connect(url);
  late.send({ type: CHAT_MESSAGE_TYPES.STREAM_RESUME_ACK, id: "r1" });
  await late.end("r1");
  for (const client of [live, joining, late]) client.close();
  return { run, url, play, end, live: live.folded("r1"), joining: joining.folded("r1"), late: late.folded("r1") };
}

/** What the AI SDK makes of the same recording, under the message id that the server gave. */
async function expectedAnswer(provider: RunName["provider"], recording: Recording, id: string): Promise<UIMessage> {
  const chunks = await chunksBySdk(provider, server.play(recording).url, [first]);
  return { ...(await readBySdk(chunks, emptyAssistant("answer"))), id };
}

/** The next request as the AI SDK sends it for its own message. */
async function expectedRequest(provider: RunName["provider"], recording: Recording, answer: UIMessage) {
  const play = server.play({ ...recording, responses: [] });
  await chunksBySdk(provider, play.url, [first, answer, second]);
  return play.requests[0];
}

describe(`the whole path over ${counted}`, () => {
  it.each(replays)(
    "$provider: $name is the same live, replayed, stored and in the next request",
    async ({ provider, recording }) => {
      const { run, url, play, end, live, joining, late } = await playTurn(provider, recording);
      const expected = await expectedAnswer(provider, recording, live.id);
      expect(live).toEqual(expected);
      expect(joining).toEqual(expected);
      expect(late).toEqual(expected);
      await restart(run);
      const messages = await stored(url);
      expect(end.outcome).toBe(recording.isBroken ? "error" : "completed");
      expect(messages).toEqual([
        first,
        ...[closeOpenParts(expected, "closed")].filter(({ parts }) => parts.length > 0),
      ]);

      const client = await ChatClient.connect(url);
      client.submit("r2", [...messages, second]);
      expect((await client.end("r2")).outcome).toBe("completed");
      client.close();
      expect(play.requests.at(-1)).toBe(await expectedRequest(provider, recording, expected));
    },
  );
});
