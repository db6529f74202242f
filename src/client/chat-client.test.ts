import type { UIMessage } from "ai";
import { afterEach, describe, expect, it, vi } from "vitest";
import { CAPABILITY_PARAM, CHAT_MESSAGE_TYPES as T, type ClientFrame } from "../shared/wire.ts";
import { type ChatSocket, connectionUrl, type MessagePage } from "./address.ts";
import { ChatClient } from "./chat-client.ts";
import type { ChatClientOptions } from "./chat-options.ts";

/** A socket held by hand. */
class FakeSocket implements ChatSocket {
  readonly sent: ClientFrame[] = [];
  readonly listeners = new Map<string, (event: { code: number; data: unknown }) => void>();
  isClosed = false;
  reconnects = 0;

  reconnect(): void {
    this.reconnects++;
    this.fire("close");
  }

  send(data: string): void {
    this.sent.push(JSON.parse(data) as ClientFrame);
  }

  close(): void {
    this.isClosed = true;
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.listeners.set(type, listener as (event: { code: number; data: unknown }) => void);
  }

  fire(type: "open" | "close" | "message", event: { code?: number; data?: unknown } = {}): void {
    this.listeners.get(type)?.({ code: 1006, data: null, ...event });
  }

  receive(frame: object): void {
    this.fire("message", { data: JSON.stringify(frame) });
  }

  /** Opens, is empty, and has nothing to resume. */
  greet(): void {
    this.fire("open");
    this.receive({ type: T.CHAT_MESSAGES, messages: [], connect: true });
    const probe = this.sent.findLast((frame) => frame.type === T.STREAM_RESUME_REQUEST);
    this.receive({ type: T.STREAM_RESUME_NONE, reason: "idle", probeId: probe?.probeId });
  }
}

function setUp(options: Partial<ChatClientOptions> = {}) {
  const sockets: FakeSocket[] = [];
  const frames: (() => void)[] = [];
  let ids = 0;
  const client = new ChatClient({
    agent: "assistant",
    name: "test",
    socket: () => sockets[sockets.push(new FakeSocket()) - 1] as FakeSocket,
    schedule: (run) => frames.push(run),
    newId: () => `id-${++ids}`,
    ...options,
  });
  const paint = () => frames.splice(0).forEach((run) => run());
  const socket = () => sockets.at(-1) as FakeSocket;
  return { client, sockets, socket, paint };
}

/** Alarms that ring by hand, the newest first. */
function heldAlarms() {
  const set = new Set<() => void>();
  const alarm = (run: () => void) => {
    const one = () => run();
    set.add(one);
    return () => set.delete(one);
  };
  const ring = () => {
    const newest = [...set].at(-1);
    if (newest === undefined) throw new Error("no alarm is set");
    set.delete(newest);
    newest();
  };
  return { alarm, ring, set };
}

function fail(): never {
  throw new Error("Not mine.");
}

describe("ChatClient", () => {
  afterEach(() => void vi.unstubAllGlobals());

  it("keeps what is sent before the link opens, and sends it in order then", () => {
    const { client, socket } = setUp();
    client.send("one");
    client.connect();
    client.send("two");
    expect(client.getSnapshot()).toMatchObject({ link: "connecting", status: "submitted", queued: 2 });
    socket().greet();
    const texts = socket().sent.flatMap((frame) =>
      frame.type === T.USE_CHAT_REQUEST ? [(JSON.parse(frame.init.body) as { messages: UIMessage[] }).messages] : [],
    );
    expect(texts.map((messages) => messages.map(({ parts }) => parts[0]))).toEqual([
      [{ type: "text", text: "one" }],
      [{ type: "text", text: "two" }],
    ]);
    expect(client.getSnapshot()).toMatchObject({ link: "open", queued: 0 });
  });

  it("sends nothing for a message without content", () => {
    const { client } = setUp();
    expect([client.send("  \n"), client.send([]), client.send([{ type: "text", text: "" }])]).toEqual([
      null,
      null,
      null,
    ]);
    expect(client.getSnapshot().messages).toEqual([]);
  });

  it("tells listeners once per frame, and not at all when nothing visible changed", () => {
    const { client, socket, paint } = setUp();
    let calls = 0;
    const stop = client.subscribe(() => calls++);
    client.connect();
    socket().greet();
    client.send("one");
    paint();
    expect(calls).toBe(1);
    const snapshot = client.getSnapshot();
    socket().receive({ type: T.STREAM_RESUME_NONE, reason: "idle", probeId: "somebody-else" });
    socket().fire("message", { data: "hello" });
    socket().fire("message", { data: "cf_agent_ but not json" });
    paint();
    expect(calls).toBe(1);
    expect(client.getSnapshot()).toBe(snapshot);
    stop();
    client.send("two");
    paint();
    expect(calls).toBe(1);
  });

  it("tells listeners also when somebody looked before them", () => {
    const { client, socket, paint } = setUp();
    let calls = 0;
    client.subscribe(() => calls++);
    client.connect();
    socket().greet();
    client.send("one");
    expect(client.getSnapshot().messages).toHaveLength(1);
    paint();
    expect(calls).toBe(1);
  });

  it("stops trying when the server has refused it for good, until it is asked to connect again", () => {
    const { client, sockets, socket } = setUp();
    client.connect();
    socket().fire("close", { code: 4403 });
    expect(client.getSnapshot().link).toBe("closed-for-good");
    expect(socket().isClosed).toBe(true);
    client.connect();
    expect(sockets).toHaveLength(2);
    expect(client.getSnapshot().link).toBe("connecting");
  });

  it("lets the socket reconnect after a loss, and asks again", () => {
    const { client, sockets, socket } = setUp();
    client.connect();
    socket().greet();
    socket().fire("close", { code: 1006 });
    expect(client.getSnapshot().link).toBe("closed");
    socket().fire("open");
    expect(sockets).toHaveLength(1);
    expect(client.getSnapshot().link).toBe("open");
    expect(socket().sent.filter(({ type }) => type === T.STREAM_RESUME_REQUEST)).toHaveLength(2);
  });

  it.each(["online", "offline"])("has its socket connect anew when the browser says that it is %s", (type) => {
    const page = new EventTarget();
    vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
    vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
    const { client, socket } = setUp();
    client.connect();
    socket().greet();
    page.dispatchEvent(new Event(type));
    expect([socket().reconnects, client.link]).toEqual([1, "closed"]);
    client.close();
    page.dispatchEvent(new Event(type));
    expect(socket().reconnects).toBe(1);
  });

  it("gives up a connection over which nothing comes, shows that, and sends again over the next, under the same id", () => {
    const { alarm, ring } = heldAlarms();
    const { client, socket } = setUp({ alarm });
    client.connect();
    socket().greet();
    client.send("hello");
    ring();
    ring();
    expect(socket().reconnects).toBe(1);
    expect(client.getSnapshot()).toMatchObject({ link: "closed", connectionError: { reason: "silent" } });
    socket().fire("open");
    socket().receive({ type: T.STREAM_RESUME_NONE, reason: "idle", probeId: "probe-3", unknown: ["id-2"] });
    const requests = socket().sent.flatMap((frame) => (frame.type === T.USE_CHAT_REQUEST ? [frame.id] : []));
    expect(requests).toEqual(["id-2", "id-2"]);
    expect(client.getSnapshot().connectionError).toBeNull();
  });

  it("has one alarm of a kind, the newest, and none once it is closed", () => {
    const { alarm, set } = heldAlarms();
    const { client, socket } = setUp({ alarm });
    client.connect();
    socket().fire("open");
    socket().fire("close");
    socket().fire("open");
    expect(set.size).toBe(1);
    client.close();
    expect(set.size).toBe(0);
  });

  it("hears nothing more from a socket it has closed, and may connect again", () => {
    const { client, sockets, socket } = setUp();
    client.connect();
    const [first] = sockets;
    client.close();
    client.connect();
    first?.fire("open");
    first?.receive({ type: T.CHAT_MESSAGES, messages: [{ id: "u1", role: "user", parts: [] }] });
    expect(client.getSnapshot()).toMatchObject({ link: "connecting", messages: [] });
    socket().greet();
    expect(client.getSnapshot().link).toBe("open");
  });

  it("loads older messages, a page at a time", async () => {
    const asked: unknown[] = [];
    const older: UIMessage = { id: "u1", role: "user", parts: [] };
    const readPage = async (_: unknown, page: unknown): Promise<MessagePage> => {
      asked.push(page);
      return { messages: [older], hasMore: false };
    };
    const { client, socket } = setUp({ readPage, pageSize: 20 });
    client.connect();
    socket().fire("open");
    const newest: UIMessage = { id: "u2", role: "user", parts: [] };
    socket().receive({ type: T.CHAT_MESSAGES, messages: [newest], connect: true, hasMore: true });
    await client.loadOlder();
    expect(asked).toEqual([{ before: "u2", limit: 20 }]);
    expect(client.getSnapshot()).toMatchObject({ messages: [older, newest], hasMore: false });
    await client.loadOlder();
    expect(asked).toHaveLength(1);
  });

  it("tells how each turn ended", () => {
    const ends: string[] = [];
    const { client, socket } = setUp({ onTurnEnd: ({ requestId, outcome }) => ends.push(`${requestId} ${outcome}`) });
    client.connect();
    socket().greet();
    client.send("one");
    socket().receive({ type: T.USE_CHAT_RESPONSE, id: "id-2", body: "", done: true, outcome: "completed" });
    socket().receive({ type: T.USE_CHAT_RESPONSE, id: "id-2", body: "", done: true, outcome: "completed" });
    expect(ends).toEqual(["id-2 completed"]);
  });

  it("sends and sets alarms in the order in which things happened, whatever a callback asks for meanwhile", () => {
    const alarms = new Map<() => void, number>();
    const { client, socket } = setUp({
      alarm: (run, ms) => {
        alarms.set(run, ms);
        return () => alarms.delete(run);
      },
      onTurnEnd: () => {
        if (ends++ === 0) client.send("again");
        client.resume();
      },
    });
    let ends = 0;
    client.connect();
    socket().greet();
    client.send("one");
    socket().fire("close");
    client.send("two");
    socket().fire("open");
    const probe = socket().sent.findLast((frame) => frame.type === T.STREAM_RESUME_REQUEST);
    socket().sent.length = 0;
    // What was asked first is lost: its end is told before what waits is sent.
    socket().receive({ type: T.STREAM_RESUME_NONE, reason: "idle", probeId: probe?.probeId });
    const texts = socket().sent.flatMap((frame) => (frame.type === T.USE_CHAT_REQUEST ? [frame.init.body] : []));
    expect(texts.map((text) => /"text":"(\w+)"/.exec(text)?.[1])).toEqual(["two", "again"]);
    expect([...alarms.values()]).toEqual([15_000, 5_000]);
    socket().sent.length = 0;
    for (const ring of Array.from(alarms.keys())) ring();
    expect(socket().sent.map(({ type }) => type)).toEqual([T.STREAM_RESUME_REQUEST]);
  });

  it("goes on when callbacks and listeners throw, and tells the others", () => {
    const heard: string[] = [];
    const told = vi.spyOn(console, "error").mockReturnValue();
    const { client, socket, paint } = setUp({ onTurnEnd: fail, onChange: fail });
    client.watch({ onTurnEnd: ({ requestId }) => heard.push(requestId) });
    client.subscribe(fail);
    client.subscribe(() => heard.push("painted"));
    client.connect();
    socket().greet();
    client.send("one");
    socket().receive({ type: T.USE_CHAT_RESPONSE, id: "id-2", body: "", done: true, outcome: "completed" });
    paint();
    expect(heard).toEqual(["id-2", "painted"]);
    expect(client.getSnapshot().status).toBe("ready");
    expect(told).toHaveBeenCalled();
    told.mockRestore();
  });

  it("announces in its URL what it understands", () => {
    const url = new URL(connectionUrl({ agent: "assistant", name: "a b/ü", host: "https://chat.example.com/" }));
    expect(url.searchParams.get(CAPABILITY_PARAM)).toBe("delta,cursor");
    expect(url.origin + url.pathname).toBe("wss://chat.example.com/agents/assistant/a%20b%2F%C3%BC");
    const local = new URL(connectionUrl({ agent: "assistant", name: "x", host: "localhost:8787" }));
    expect(local.origin).toBe("ws://localhost:8787");
  });
});
