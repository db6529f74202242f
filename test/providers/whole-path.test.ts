/**
 * Recordings of real providers through the whole path: the provider's own
 * package, a turn in the Workers runtime, storage, sockets, a restart, and the
 * request of the next turn.
 */
import { fileURLToPath } from "node:url";
import type { UIMessage } from "ai";
import { createTestHarness, type TestHarness } from "wrangler";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeOpenParts, emptyAssistant, hasRenderableParts } from "../../src/shared/apply-chunk.ts";
import { readBySdk } from "../harness/sdk-reader.ts";
import { chunksBySdk, userMessage } from "./by-sdk.ts";
import { ChatClient } from "./chat-client.ts";
import { nameOf, type RunName } from "./conversation-under-test.ts";
import { withFixedIds } from "./fixed-ids.ts";
import type { ProviderName } from "./providers.ts";
import { counted, type Recording, replays } from "./recordings.ts";
import { type ReplayServer, startReplayServer } from "./replay-server.ts";

let server: ReplayServer;
let worker: TestHarness;
let origin: string;

beforeAll(async () => {
  server = await startReplayServer();
  worker = createTestHarness({
    root: fileURLToPath(new URL("../..", import.meta.url)),
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

/** What a provider needs to see again, letter for letter, by recording. */
const keptBy: Partial<Record<ProviderName, Record<string, readonly string[]>>> = {
  anthropic: {
    "anthropic--thinking-and-tool-use": [
      "c2lnbmF0dXJlIG9mIHRoZSBmaXJzdCB0aG91Z2h0Lw+/==",
      "cmVkYWN0ZWQgdGhvdWdodA+/==",
      "c2lnbmF0dXJlIHdpdGhvdXQgdGV4dA==",
      "toolu_zurich",
      "toolu_bern",
    ],
  },
  google: {
    "google--thoughts-and-function-calls": [
      "dGhvdWdodCBzaWduYXR1cmUgb2YgdGhlIGZpcnN0IGNhbGwrLz0+/==",
      "dGhvdWdodCBzaWduYXR1cmUgYXQgdGhlIGVuZA==",
    ],
  },
  "openai-chat": { "openai-chat--fragmented-tool-calls": ["call_one", "call_two"] },
  "openai-compatible": { "openai-chat--fragmented-tool-calls": ["call_one", "call_two"] },
  "openai-responses": {
    "openai-responses--reasoning-and-function-call": ["rs_one", "call_one", "rs_two", "msg_two"],
  },
  "openai-responses-stateless": {
    "openai-responses--reasoning-and-function-call": [
      "ZW5jcnlwdGVkIHJlYXNvbmluZyB3aXRoICsvPSBpbiBpdA+/==",
      "cmVhc29uaW5nIHdpdGhvdXQgYSBzdW1tYXJ5",
      "call_one",
    ],
  },
};

/** What the default prompt of the next turn leaves out of a recording, and what it must not lose with it. */
const leftOut: Record<string, { readonly gone: readonly string[]; readonly kept: readonly string[] }> = {
  "anthropic--thinking-and-tool-use": {
    gone: ["toolu_zurich", "toolu_bern"],
    kept: ["Let me look both up.", "Both are fine."],
  },
  "google--thoughts-and-function-calls": {
    gone: ["functionCall", "dGhvdWdodCBzaWduYXR1cmUgb2YgdGhlIGZpcnN0IGNhbGwrLz0+/=="],
    kept: ["dGhvdWdodCBzaWduYXR1cmUgYXQgdGhlIGVuZA=="],
  },
  "openai-responses--reasoning-and-function-call": { gone: ["call_one", "rs_one"], kept: ["rs_two"] },
  "openai-responses--reasoning-before-text-and-call": { gone: ["call_pairs", "rs_call"], kept: ["rs_text"] },
};

/** The message as JSON carries it, without its id and without ids that are new each time. */
function comparable(message: UIMessage | undefined): unknown {
  return message && { ...(JSON.parse(withFixedIds(JSON.stringify(message))) as UIMessage), id: "answer" };
}

/** Sends the first message, lets a second client join in the middle and a third one come after the end. */
async function playTurn(provider: ProviderName, recording: Recording, prompt: RunName["prompt"] = "whole") {
  const reached = Promise.withResolvers<void>();
  const joined = Promise.withResolvers<void>();
  const after = Math.floor((recording.responses[0]?.length ?? 0) / 2);
  const hold = () => {
    reached.resolve();
    return joined.promise;
  };
  const play = server.play(recording, { after, reached: hold });
  const run: RunName = { provider, key: play.key, prompt };
  const url = `${origin}/agents/provider-agent/${nameOf(run)}`;
  const live = await ChatClient.connect(url);
  live.submit("r1", [first]);
  await reached.promise;
  const joining = await ChatClient.connect(url);
  const joinedWith = await joining.attach("r1");
  joined.resolve();
  const end = await live.end("r1");
  await joining.end("r1");
  const late = await ChatClient.connect(url);
  await late.attach("r1");
  await late.end("r1");
  const clients = [live, joining, late];
  for (const client of clients) client.close();
  return { run, url, play, end, joinedWith, list: late.list(), answers: clients.map((client) => client.folded("r1")) };
}

/** What the AI SDK makes of the same recording. Its reader goes on behind an error, as a turn does. */
async function answerBySdk(provider: ProviderName, recording: Recording): Promise<UIMessage> {
  const chunks = await chunksBySdk(provider, server.play(recording).url, [first]);
  return readBySdk(
    chunks.filter(({ type }) => type !== "error"),
    emptyAssistant("answer"),
  );
}

/** The request of the next turn, as the AI SDK sends it for its own message. */
async function nextRequestBySdk(provider: ProviderName, recording: Recording, answer: UIMessage): Promise<string> {
  const play = server.play({ ...recording, responses: [] });
  await chunksBySdk(provider, play.url, [first, answer, second].filter(hasRenderableParts));
  return play.requests[0] ?? "";
}

/** Restarts the conversation, so that what follows comes from storage. */
async function readBack(run: RunName, url: string): Promise<UIMessage[]> {
  await fetch(`${origin}/restart/${nameOf(run)}`);
  return (await (await fetch(`${url}/get-messages`)).json()) as UIMessage[];
}

async function askAgain(url: string, messages: readonly UIMessage[]): Promise<void> {
  const client = await ChatClient.connect(url);
  client.submit("r2", [...messages, second]);
  expect(await client.end("r2")).toMatchObject({ outcome: "completed" });
  client.close();
}

describe(`the whole path over ${counted}`, () => {
  it.each(replays.filter(({ recording }) => !recording.isBroken))(
    "$provider: $name is the same live, replayed, stored and in the next request",
    async ({ provider, recording }) => {
      const expected = await answerBySdk(provider, recording);
      const { run, url, play, end, joinedWith, list, answers } = await playTurn(provider, recording);
      expect(end).toMatchObject({ outcome: "completed", messageIds: ["u1"] });
      expect(joinedWith).toBe("cf_agent_stream_resuming");
      expect(answers.map(comparable)).toEqual(answers.map(() => comparable(expected)));
      expect(list.map(comparable)).toEqual([first, expected].map(comparable));

      const messages = await readBack(run, url);
      expect(messages.map(({ id }) => id)).toEqual(["u1", answers[0]?.id]);
      expect(messages[0]).toEqual(first);
      expect(comparable(messages[1])).toEqual(comparable(expected));

      await askAgain(url, messages);
      const sent = await nextRequestBySdk(provider, recording, expected);
      expect(withFixedIds(play.requests.at(-1) ?? "")).toBe(withFixedIds(sent));
      for (const kept of keptBy[provider]?.[recording.name] ?? []) expect(play.requests.at(-1)).toContain(`"${kept}"`);
    },
  );

  it.each(replays.filter(({ recording }) => recording.isBroken))(
    "$provider: $name ends in an error that keeps what came before it, and the next turn works",
    async ({ provider, recording }) => {
      const expected = await answerBySdk(provider, recording);
      const { run, url, play, end, answers } = await playTurn(provider, recording);
      expect(end).toMatchObject({
        outcome: "error",
        error: true,
        code: expect.stringMatching(/^(?:model_error|rate_limited)$/),
      });
      // Whether a step had begun before an error that comes first is a matter of timing; it shows nothing.
      const shown = answers.filter(hasRenderableParts);
      expect(shown.map(comparable)).toEqual(
        hasRenderableParts(expected) ? answers.map(() => comparable(expected)) : [],
      );

      const messages = await readBack(run, url);
      const stored = messages.slice(1).map(({ id, role, parts }) => ({ id, role, parts }));
      const kept = [closeOpenParts(expected, "The answer ended before the tool did.")].filter(hasRenderableParts);
      expect(stored.map(comparable)).toEqual(kept.map(comparable));

      await askAgain(url, messages);
      const sent = await nextRequestBySdk(provider, recording, kept[0] ?? expected);
      expect(withFixedIds(play.requests.at(-1) ?? "")).toBe(withFixedIds(sent));
    },
  );

  it.each(replays.filter(({ name }) => name in leftOut))(
    "$provider: $name loses old calls in the default prompt together with the reasoning that led to them",
    async ({ provider, name, recording }) => {
      const { url, play } = await playTurn(provider, recording, "default");
      await askAgain(url, []);
      const { gone, kept } = leftOut[name] ?? { gone: [], kept: [] };
      expect([...gone, ...kept].filter((text) => play.requests.at(-1)?.includes(`"${text}"`))).toEqual(kept);
    },
  );
});
