/** Streams of the transport over random network schedules: every chunk once, in order, up to the end. */
import type { UIMessage, UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { applyChunk, emptyAssistant, hasRenderableParts, startFold } from "../../shared/apply-chunk.ts";
import { ChatClient } from "../chat-client.ts";
import { ModelServer } from "../walk/model-server.ts";
import { Link } from "../walk/network.ts";
import { randomOf } from "../walk/random.ts";
import { ConversationTransport } from "./conversation-transport.ts";

const options = {
  name: "walk",
  pageSize: 4,
  keeps: Number.MAX_SAFE_INTEGER,
  windowSize: 8,
  line: 50,
  isRecovering: false,
};

/** A stream as it is read, and whether it has ended. */
interface Reading {
  readonly chunks: UIMessageChunk[];
  ends: number;
}

async function read(stream: ReadableStream<UIMessageChunk>, reading: Reading): Promise<void> {
  await stream.pipeTo(new WritableStream({ write: (chunk) => void reading.chunks.push(chunk) }));
  reading.ends += 1;
}

async function walk(seed: number, isRough: boolean): Promise<void> {
  const random = randomOf(seed);
  const server = new ModelServer(options);
  const link = new Link(server, true);
  const client = new ChatClient({
    agent: "assistant",
    name: "walk",
    socket: () => link,
    readPage: async (_, { before, limit }) => server.page(before, limit) ?? { messages: [], hasMore: false },
    schedule: () => undefined,
    alarm: () => () => undefined,
  });
  const transport = new ConversationTransport(client);
  client.connect();
  const readings: Reading[] = [];
  const ask = async (at: number) => {
    const reading: Reading = { chunks: [], ends: 0 };
    readings.push(reading);
    const message: UIMessage = { id: `u${at}`, role: "user", parts: [{ type: "text", text: "hello" }] };
    const options = { chatId: "c", messageId: undefined, abortSignal: undefined };
    void read(await transport.sendMessages({ ...options, trigger: "submit-message", messages: [message] }), reading);
  };
  const resumed = (stream: ReadableStream<UIMessageChunk>) => {
    const reading: Reading = { chunks: [], ends: 0 };
    readings.push(reading);
    void read(stream, reading);
  };
  for (let at = 0; at < 150; at++) {
    const dice = random.below(100);
    if (dice < 30) link.deliverToClient();
    else if (dice < 45) link.deliverToServer();
    else if (dice < 65) server.turns.advance();
    else if (dice < 75) server.replay();
    else if (dice < 80) await ask(at);
    else if (dice < 85) server.turns.store();
    else if (link.connection === null) link.dial();
    else if (dice < 90) link.drop();
    else if (dice < 92) link.forgetLost();
    else if (isRough) {
      misfortune(dice, server, link, client);
      if (dice === 99) void transport.reconnectToStream().then((stream) => stream && resumed(stream));
    }
  }
  for (let round = 0; round < 2_000; round++) {
    if (link.connection === null) link.dial();
    link.deliverToServer();
    link.deliverToClient();
    server.turns.advance();
    server.replay();
    await Promise.resolve();
  }
  await new Promise(setImmediate);
  if (isRough) return checkEnds(seed, readings);
  const streamed = readings.map(({ chunks }) => chunks.reduce(applyChunk, startFold(emptyAssistant(""))).message);
  const shown = streamed.filter(hasRenderableParts);
  expect(readings.map(({ ends }) => ends)).toEqual(readings.map(() => 1));
  for (const message of shown) {
    const stored = server.turns.listed().find(({ id }) => id === message.id);
    expect(message.parts, `seed ${seed}: what was streamed is what is stored`).toEqual(stored?.parts);
  }
  const answers = server.turns.listed().filter(({ role }) => role === "assistant");
  expect(shown.length, `seed ${seed}: every answer is streamed`).toBe(answers.length);
}

/** A turn fails or is stopped, chunks are lost, the conversation is cleared, the server dies. */
function misfortune(dice: number, server: ModelServer, link: Link, client: ChatClient): void {
  if (dice === 92) server.turns.fail();
  else if (dice === 93) client.stop();
  else if (dice === 94) server.turns.loseChunks();
  else if (dice === 95) client.clear();
  else if (dice === 96) {
    server.crash();
    link.hangUp();
  }
}

function checkEnds(seed: number, readings: readonly Reading[]): void {
  for (const { chunks, ends } of readings) {
    expect(ends, `seed ${seed}: the stream ends once`).toBe(1);
    const starts = chunks.filter(({ type }) => type === "start");
    expect(starts.length, `seed ${seed}: and begins once at most`).toBeLessThanOrEqual(1);
    const { parts } = chunks.reduce(applyChunk, startFold(emptyAssistant(""))).message;
    const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    expect(
      texts.filter((text) => !"one two three four five".startsWith(text)),
      `seed ${seed}: said once`,
    ).toEqual([]);
  }
}

describe("a stream of the transport on a bad network", () => {
  it("brings each chunk of each answer once, in order, and ends once", async () => {
    for (let seed = 1; seed <= 400; seed++) await walk(seed, false);
  });

  it("ends once, whatever becomes of its turn, of its chunks and of the server", async () => {
    for (let seed = 1; seed <= 400; seed++) await walk(seed, true);
  });
});
