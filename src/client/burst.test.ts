/** What an answer costs a client: as much as it says, however long the answer and the conversation are. */
import type { UIMessage, UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { countWork, type Work } from "../../test/harness/counted-work.ts";
import type { ServerFrame } from "../shared/server-frames.ts";
import { CHAT_MESSAGE_TYPES as T } from "../shared/wire-words.ts";
import type { ChatSocket, SocketListeners } from "./address.ts";
import { ChatClient } from "./chat-client.ts";

const user = (id: string): UIMessage => ({ id, role: "user", parts: [{ type: "text", text: id }] });

/** A client that shows `history` messages and an answer of `parts` parts that streams. */
function streaming({ history, parts }: { history: number; parts: number }) {
  const listeners: Partial<SocketListeners> = {};
  const notices: (() => void)[] = [];
  const socket: ChatSocket = {
    send: () => undefined,
    close: () => undefined,
    addEventListener: (type: keyof SocketListeners, listener: never) => void (listeners[type] = listener),
  };
  const client = new ChatClient({
    agent: "assistant",
    name: "burst",
    socket: () => socket,
    schedule: (run) => notices.push(run),
  });
  let seq = 0;
  const receive = (frame: ServerFrame) => listeners.message?.({ data: JSON.stringify(frame) });
  const stream = (chunk: UIMessageChunk) =>
    receive({ type: T.USE_CHAT_RESPONSE, id: "r1", body: JSON.stringify(chunk), done: false, seq: ++seq });
  client.connect();
  listeners.open?.();
  receive({
    type: T.CHAT_MESSAGES,
    messages: Array.from({ length: history }, (_, at) => user(`u${at}`)),
    connect: true,
  });
  stream({ type: "start", messageId: "a1" });
  for (let at = 1; at < parts; at++) stream({ type: "source-url", sourceId: `s${at}`, url: "https://example.com" });
  const paint = () => notices.splice(0).forEach((run) => run());
  paint();
  return { client, stream, paint };
}

/** What `count` deltas of one text cost when they come in one task. */
async function textWork(count: number, size: { history: number; parts: number }): Promise<Work> {
  const { client, stream, paint } = streaming(size);
  stream({ type: "text-start", id: "t" });
  const work = await countWork(async () => {
    for (let at = 0; at < count; at++) stream({ type: "text-delta", id: "t", delta: "word " });
    paint();
  });
  expect(client.getSnapshot().messages.at(-1)?.parts.at(-1)).toMatchObject({ text: "word ".repeat(count) });
  return work;
}

const looked = ({ elements, characters }: Work) => elements + characters;
const total = ({ blocks, elements, characters }: Work) => blocks + elements + characters;

describe("a burst of deltas", () => {
  it("costs twice as much when it is twice as long", async () => {
    const size = { history: 50, parts: 10 };
    const [half, whole] = [await textWork(10_000, size), await textWork(20_000, size)];
    expect(half.blocks).toBeGreaterThan(10_000);
    expect(half.elements).toBeGreaterThan(10_000);
    expect(total(whole) / total(half)).toBeLessThan(2.3);
  });

  it("costs no more in a long conversation and a long answer", async () => {
    const short = await textWork(5_000, { history: 1, parts: 2 });
    const long = await textWork(5_000, { history: 2_000, parts: 1_000 });
    // What is painted is looked at once, whatever came meanwhile.
    expect((looked(long) - looked(short)) / 5_000).toBeLessThan(10);
    // The engine forgets some of the blocks it has run; a scan of the messages or parts would run hundreds of times as many.
    expect(long.blocks / short.blocks).toBeLessThan(3);
    expect(short.elements / 5_000).toBeLessThan(100);
  });

  it("costs of a tool's input a few times what it says, not its square", async () => {
    const delta = `{"path":"${"a/".repeat(45)}"},`;
    const inputWork = (count: number) => {
      const { stream, paint } = streaming({ history: 10, parts: 1 });
      stream({ type: "tool-input-start", toolCallId: "c1", toolName: "write" });
      stream({ type: "tool-input-delta", toolCallId: "c1", inputTextDelta: "[" });
      return countWork(async () => {
        for (let at = 0; at < count; at++) {
          stream({ type: "tool-input-delta", toolCallId: "c1", inputTextDelta: delta });
        }
        paint();
      });
    };
    const [half, whole] = [await inputWork(1_500), await inputWork(3_000)];
    expect(total(whole) / total(half)).toBeLessThan(2.3);
    // Each delta as a frame and as its body, and the whole input a few times over.
    expect(whole.characters).toBeLessThan(14 * 3_000 * delta.length);
  });

  it("keeps the identity of every other message and of every other part", () => {
    const { client, stream, paint } = streaming({ history: 5, parts: 5 });
    stream({ type: "text-start", id: "t" });
    const before = client.getSnapshot().messages;
    stream({ type: "text-delta", id: "t", delta: "word" });
    paint();
    const after = client.getSnapshot().messages;
    expect(after.slice(0, 5).every((message, at) => message === before[at])).toBe(true);
    expect(after[5]?.parts.slice(0, 4).every((part, at) => part === before[5]?.parts[at])).toBe(true);
    expect(after[5]?.parts.at(-1)).toMatchObject({ text: "word" });
  });
});
