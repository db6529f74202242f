import { AbstractChat, type ChatState, type ChatStatus, type UIMessage, type UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import type { ServerFrame } from "../../shared/server-frames.ts";
import type { ClientFrame } from "../../shared/wire.ts";
import { CHAT_MESSAGE_TYPES as T } from "../../shared/wire-words.ts";
import type { ChatSocket, SocketListeners } from "../address.ts";
import { ChatClient } from "../chat-client.ts";
import type { ChatClientOptions } from "../chat-options.ts";
import { ConversationTransport } from "./conversation-transport.ts";

/** The AI SDK's chat without a framework. */
class Chat extends AbstractChat<UIMessage> {
  constructor(transport: ConversationTransport, messages: UIMessage[] = []) {
    const state: ChatState<UIMessage> = {
      status: "ready" as ChatStatus,
      error: undefined,
      messages,
      pushMessage: (message) => void (state.messages = [...state.messages, message]),
      popMessage: () => void (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (at, message) => void (state.messages = state.messages.with(at, structuredClone(message))),
      snapshot: (value) => structuredClone(value),
    };
    super({ transport, state });
  }
}

const user = (id: string, text = "Hi"): UIMessage => ({ id, role: "user", parts: [{ type: "text", text }] });

function setUp(options: Partial<ChatClientOptions> = {}) {
  const sent: ClientFrame[] = [];
  const listeners: Partial<SocketListeners> = {};
  const socket: ChatSocket = {
    send: (data) => void sent.push(JSON.parse(data) as ClientFrame),
    close: () => undefined,
    addEventListener: (type: keyof SocketListeners, listener: never) => void (listeners[type] = listener),
  };
  const client = new ChatClient({
    agent: "assistant",
    name: "test",
    socket: () => socket,
    schedule: () => undefined,
    alarm: () => () => undefined,
    ...options,
  });
  const transport = new ConversationTransport(client);
  const receive = (frame: ServerFrame) => listeners.message?.({ data: JSON.stringify(frame) });
  const probe = () => sent.findLast(({ type }) => type === T.STREAM_RESUME_REQUEST) as { probeId: string };
  const open = (messages: UIMessage[] = []) => {
    listeners.open?.();
    receive({ type: T.CHAT_MESSAGES, messages, connect: true });
  };
  const idle = () => receive({ type: T.STREAM_RESUME_NONE, reason: "idle", probeId: probe().probeId });
  const requests = () => sent.flatMap((frame) => (frame.type === T.USE_CHAT_REQUEST ? [frame] : []));
  const bodies = () => requests().map(({ init }) => JSON.parse(init.body) as Record<string, unknown>);
  const chunk = (id: string, seq: number, chunk: UIMessageChunk, more: { replay?: true } = {}) =>
    receive({ type: T.USE_CHAT_RESPONSE, id, body: JSON.stringify(chunk), done: false, seq, ...more });
  const end = (id: string, more: Partial<Extract<ServerFrame, { type: typeof T.USE_CHAT_RESPONSE }>> = {}) =>
    receive({ type: T.USE_CHAT_RESPONSE, id, body: "", done: true, outcome: "completed", ...more });
  const lose = (code = 1006) => listeners.close?.({ code });
  return { client, transport, receive, probe, open, idle, requests, bodies, chunk, end, lose, sent };
}

const say = (delta: string): UIMessageChunk => ({ type: "text-delta", id: "t", delta });
const start: UIMessageChunk[] = [
  { type: "start", messageId: "a1" },
  { type: "text-start", id: "t" },
];
const textOf = (message: UIMessage | undefined) =>
  message?.parts.map((part) => (part.type === "text" ? part.text : "")).join("");

async function readAll(stream: ReadableStream<UIMessageChunk> | null): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  await stream?.pipeTo(new WritableStream({ write: (chunk) => void chunks.push(chunk) }));
  return chunks;
}

describe("ConversationTransport", () => {
  it("serves a chat of the AI SDK: the answer under the server's id, then ready", async () => {
    const { transport, open, idle, requests, bodies, chunk, end } = setUp();
    const chat = new Chat(transport);
    const done = chat.sendMessage({ text: "Hello" }, { body: { mood: "good" } });
    await Promise.resolve();
    expect(chat.status).toBe("submitted");
    open();
    idle();
    const id = requests()[0]?.id ?? "";
    expect(bodies()).toMatchObject([{ mood: "good", trigger: "submit-message", messages: [{ role: "user" }] }]);
    [...start, say("Hel"), say("lo.")].forEach((one, at) => chunk(id, at + 1, one));
    end(id);
    await done;
    expect(chat.status).toBe("ready");
    expect(chat.messages.map((message) => [message.role, textOf(message)])).toEqual([
      ["user", "Hello"],
      ["assistant", "Hello."],
    ]);
    expect(chat.lastMessage?.id).toBe("a1");
  });

  it("sends of the list only what the conversation lacks", async () => {
    const { client, transport, open, idle, bodies } = setUp();
    client.connect();
    const answer: UIMessage = { id: "a0", role: "assistant", parts: [{ type: "text", text: "Yes?" }] };
    open([user("u0"), answer]);
    idle();
    const messages = [user("u0"), answer, user("u1"), user("u2")];
    const options = { chatId: "c", messageId: undefined, abortSignal: undefined };
    await transport.sendMessages({ ...options, trigger: "submit-message", messages });
    expect(bodies()[0]?.["messages"]).toEqual([user("u1"), user("u2")]);
  });

  it("asks for another answer under the name of the one to replace", async () => {
    const { client, transport, open, idle, bodies } = setUp();
    const chat = new Chat(transport, [user("u0"), { id: "a0", role: "assistant", parts: [] }]);
    client.connect();
    open();
    idle();
    void chat.regenerate({ messageId: "a0" });
    await new Promise(setImmediate);
    expect(bodies()).toMatchObject([{ trigger: "regenerate-message", messageId: "a0", messages: [user("u0")] }]);
  });

  it("rejects a regenerate without a message to answer", async () => {
    const { transport } = setUp();
    const options = { chatId: "c", messageId: undefined, abortSignal: undefined, messages: [] };
    await expect(transport.sendMessages({ ...options, trigger: "regenerate-message" })).rejects.toThrow("no message");
  });

  it("rejects what JSON cannot hold, and sends the next message as if nothing had been", async () => {
    const { client, transport, open, idle, bodies } = setUp();
    client.connect();
    open();
    idle();
    const options = { chatId: "c", messageId: undefined, abortSignal: undefined, trigger: "submit-message" } as const;
    const refused = transport.sendMessages({ ...options, messages: [user("u1")], body: { big: 1n } });
    await expect(refused).rejects.toThrow("BigInt");
    await transport.sendMessages({ ...options, messages: [user("u2")] });
    expect(bodies().map(({ messages }) => messages)).toEqual([[user("u2")]]);
  });

  it("goes on over lost sockets: each chunk once, in order, and one end", async () => {
    const { transport, open, idle, receive, probe, requests, chunk, end, lose, sent } = setUp();
    const options = { chatId: "c", messageId: undefined, abortSignal: undefined };
    const stream = await transport.sendMessages({ ...options, trigger: "submit-message", messages: [user("u1")] });
    const all = readAll(stream);
    open();
    idle();
    const id = requests()[0]?.id ?? "";
    start.forEach((one, at) => chunk(id, at + 1, one));
    for (let drop = 0; drop < 20; drop++) {
      const seq = 3 + drop * 3;
      chunk(id, seq, say(`${drop} `));
      lose();
      open();
      receive({ type: T.STREAM_RESUMING, id, probeId: probe().probeId, lastSeq: seq + 1 });
      expect(sent.at(-1)).toMatchObject({ type: T.STREAM_RESUME_ACK, id, after: seq });
      chunk(id, seq, say(`${drop} `), { replay: true });
      chunk(id, seq + 1, say("and "), { replay: true });
      receive({ type: T.USE_CHAT_RESPONSE, id, body: "", done: false, replay: true, replayComplete: true });
      chunk(id, seq + 1, say("and "));
      chunk(id, seq + 2, say("then "));
    }
    end(id);
    end(id);
    const text = (await all).map((one) => (one.type === "text-delta" ? one.delta : "")).join("");
    expect(text).toBe(Array.from({ length: 20 }, (_, drop) => `${drop} and then `).join(""));
  });

  it.each<[string, UIMessageChunk[], number]>([
    ["in the middle of it", [...start, say("Hel")], 3],
    ["before it said anything", [], 0],
  ])("gets the rest of an answer that ended while the socket was lost %s", async (_, before, after) => {
    const { transport, open, idle, receive, probe, requests, chunk, end, lose, sent } = setUp();
    const options = { chatId: "c", messageId: undefined, abortSignal: undefined };
    const stream = await transport.sendMessages({ ...options, trigger: "submit-message", messages: [user("u1")] });
    open();
    idle();
    const id = requests()[0]?.id ?? "";
    before.forEach((one, at) => chunk(id, at + 1, one));
    lose();
    open();
    expect(probe()).toMatchObject({ requests: [id] });
    end(id);
    idle();
    expect(sent.at(-1)).toMatchObject({ type: T.STREAM_RESUME_ACK, id, after });
    [...start, say("Hel"), say("lo.")]
      .slice(after)
      .forEach((one, at) => chunk(id, after + at + 1, one, { replay: true }));
    end(id, { replay: true });
    expect(await readAll(stream)).toEqual([...start, say("Hel"), say("lo.")]);
    receive({ type: T.CHAT_CLEAR });
  });

  it("T59: ends the stream of somebody else's answer that ended while the socket was lost", async () => {
    const { client, transport, open, receive, probe, idle, chunk, end, lose } = setUp();
    client.connect();
    open();
    receive({ type: T.STREAM_RESUMING, id: "other", probeId: probe().probeId, lastSeq: 2 });
    start.forEach((one, at) => chunk("other", at + 1, one, { replay: true }));
    const stream = await transport.reconnectToStream();
    lose();
    open();
    expect(probe()).toMatchObject({ requests: ["other"] });
    end("other");
    idle();
    end("other", { replay: true });
    expect(await readAll(stream)).toEqual(start);
  });

  it("turns a failed turn into the chat's error, with the text for people", async () => {
    const { transport, open, idle, requests, chunk, end } = setUp();
    const chat = new Chat(transport);
    const done = chat.sendMessage({ text: "Hello" });
    await Promise.resolve();
    open();
    idle();
    const id = requests()[0]?.id ?? "";
    [...start, say("Hel")].forEach((one, at) => chunk(id, at + 1, one));
    end(id, { body: "The model failed.", error: true, outcome: "error", code: "model_error" });
    await done;
    expect([chat.status, chat.error?.message]).toEqual(["error", "The model failed."]);
    expect(textOf(chat.lastMessage)).toBe("Hel");
  });

  it("F266: cancels the turn when the chat is stopped, and not when its reader goes", async () => {
    const { transport, open, idle, requests, chunk, sent } = setUp();
    const chat = new Chat(transport);
    const done = chat.sendMessage({ text: "Hello" });
    await Promise.resolve();
    open();
    idle();
    const id = requests()[0]?.id ?? "";
    [...start, say("Hel")].forEach((one, at) => chunk(id, at + 1, one));
    const again = await transport.reconnectToStream();
    await again?.cancel();
    expect(sent.filter(({ type }) => type === T.CHAT_REQUEST_CANCEL)).toEqual([]);
    await chat.stop();
    await done;
    expect(sent.at(-1)).toEqual({ type: T.CHAT_REQUEST_CANCEL, id });
    expect(chat.status).toBe("ready");
  });

  it("resumes an answer that runs, from its first chunk, for everybody who asks", async () => {
    const { client, transport, open, receive, probe, chunk, end } = setUp();
    client.connect();
    open([user("u1")]);
    const early = transport.reconnectToStream();
    receive({ type: T.STREAM_RESUMING, id: "r1", probeId: probe().probeId, lastSeq: 3 });
    [...start, say("Hel")].forEach((one, at) => chunk("r1", at + 1, one, { replay: true }));
    const late = transport.reconnectToStream();
    receive({ type: T.USE_CHAT_RESPONSE, id: "r1", body: "", done: false, replay: true, replayComplete: true });
    const streams = await Promise.all([early, late]);
    chunk("r1", 4, say("lo."));
    end("r1");
    for (const stream of streams) expect(await readAll(stream)).toEqual([...start, say("Hel"), say("lo.")]);
  });

  it("resumes nothing when nothing runs, and waits while a turn is only announced", async () => {
    const { client, transport, open, receive, probe, idle } = setUp();
    client.connect();
    open();
    receive({ type: T.STREAM_PENDING, probeId: probe().probeId });
    let resumed: unknown = "waiting";
    const resuming = transport.reconnectToStream().then((stream) => (resumed = stream));
    await Promise.resolve();
    expect(resumed).toBe("waiting");
    idle();
    await resuming;
    expect(resumed).toBeNull();
  });

  it("ends every stream with an error when the server refuses the connection", async () => {
    const { transport, lose } = setUp();
    const chat = new Chat(transport);
    const done = chat.sendMessage({ text: "Hello" });
    await Promise.resolve();
    lose(4403);
    await done;
    expect([chat.status, chat.error?.message]).toEqual(["error", "The server refused the connection."]);
  });

  it("ends the stream of a message that is too large to be sent", async () => {
    const { transport } = setUp();
    const options = { chatId: "c", messageId: undefined, abortSignal: undefined };
    const messages = [user("u1", "x".repeat(17 * 1024 * 1024))];
    const stream = await transport.sendMessages({ ...options, trigger: "submit-message", messages });
    expect(await readAll(stream)).toMatchObject([{ type: "error", errorText: /limit/ }]);
  });

  it("ends the stream of somebody else's answer that went with a cleared conversation", async () => {
    const { client, transport, receive, probe, open, idle, chunk, lose } = setUp();
    client.connect();
    open();
    idle();
    chunk("r9", 1, start[0]!);
    const away = readAll(await transport.reconnectToStream());
    lose();
    open();
    receive({ type: T.STREAM_RESUME_NONE, reason: "idle", probeId: probe().probeId, unknown: ["r9"] });
    expect((await away).at(-1)).toEqual({ type: "abort" });
    chunk("r10", 1, start[0]!);
    const held = readAll(await transport.reconnectToStream());
    chunk("r10", 3, say("behind a gap"));
    receive({ type: T.STREAM_RESUMING, id: "r10", probeId: probe().probeId, lastSeq: 3 });
    receive({ type: T.CHAT_CLEAR });
    expect((await held).at(-1)).toEqual({ type: "abort" });
  });
});
