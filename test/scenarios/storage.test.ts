import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { jsonSchema, tool, type UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { type Stage, stage, TestConversation } from "../harness/agents.ts";
import { ChatSocket, conversation, crash, http, storedMessages, textOf, userText } from "../harness/chat-socket.ts";
import { countsOf, resetCounts } from "../harness/counters.ts";
import { manualClock } from "../harness/manual-clock.ts";
import { finish, gate, say, ScriptedModel, text, toolCall } from "../harness/scripted-model.ts";

function setUp(name: string, ...deltas: (string | Promise<unknown> | Error)[]): Stage {
  const setup = stage(name);
  setup.model = new ScriptedModel(() => say(...deltas));
  return setup;
}

const sql = <T>(name: string, body: (sql: SqlStorage) => T): Promise<T> =>
  runInDurableObject(conversation(name), (_, state) => body(state.storage.sql));

const inside = <T>(name: string, body: (self: TestConversation) => T | Promise<T>): Promise<T> =>
  runInDurableObject(conversation(name), body);

const countOf = (name: string, table: string): Promise<number> =>
  sql(name, (db) => db.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`).one().n);

const ids = (messages: readonly UIMessage[]) => messages.map((message) => message.id);

const list = (n: number): UIMessage[] =>
  Array.from({ length: n }, (_, at) => ({
    id: `m${at}`,
    role: at % 2 === 0 ? "user" : "assistant",
    parts: [{ type: "text", text: `text ${at}` }],
  }));

async function turn(socket: ChatSocket, id: string, content = id): Promise<void> {
  socket.ask(id, content);
  await socket.ended(id);
}

describe("damaged rows", () => {
  it.each<[string, string]>([
    ["is not JSON", "{"],
    ["is null", "null"],
    ["is a list", "[]"],
    ["has no id", '{"role":"user","parts":[]}'],
    ["has an unknown role", '{"id":"m3","role":"wizard","parts":[]}'],
    ["has no parts", '{"id":"m3","role":"user"}'],
    ["has parts that are no list", '{"id":"m3","role":"user","parts":"x"}'],
    ["has a part that is null", '{"id":"m3","role":"user","parts":[null]}'],
    ["has a part without a type", '{"id":"m3","role":"user","parts":[{"text":"x"}]}'],
    ["is for rows that are gone", ""],
  ])("T19: skips a message that %s, and everything else works", async (what, damage) => {
    const name = `damaged-${what.replaceAll(" ", "-")}`;
    await inside(name, (self) => void (self.messages = list(6)));
    await sql(
      name,
      (db) => void db.exec("UPDATE messages SET body = ? WHERE id = 'm3'", damage === "" ? null : damage),
    );
    await crash(name);
    expect(ids(await storedMessages(name))).toEqual(["m0", "m1", "m2", "m4", "m5"]);
    const socket = await ChatSocket.open(name);
    const opening = await socket.until((frame) => frame.type === "cf_agent_chat_messages");
    expect("messages" in opening && ids(opening.messages)).toEqual(["m0", "m1", "m2", "m4", "m5"]);
    await turn(socket, "r1");
    expect((await storedMessages(name)).map(textOf).slice(-2)).toEqual(["r1", "ok"]);
  });

  it("starts and answers when the newest message is the damaged one, or all are", async () => {
    for (const where of ["id = 'm5'", "1 = 1"]) {
      const name = `damaged-where-${where.replaceAll(/\W/g, "")}`;
      await inside(name, (self) => void (self.messages = list(6)));
      await sql(name, (db) => void db.exec(`UPDATE messages SET body = '{' WHERE ${where}`));
      await crash(name);
      const socket = await ChatSocket.open(name);
      await turn(socket, "r1");
      await turn(socket, "r2");
      const stored = await storedMessages(name);
      expect(stored.map(textOf).slice(-4), where).toEqual(["r1", "ok", "r2", "ok"]);
      expect(stored.length, where).toBe(where === "1 = 1" ? 4 : 9);
    }
  });

  it("starts although a record of a turn is damaged", async () => {
    setUp("damaged-turn", "ok");
    const socket = await ChatSocket.open("damaged-turn");
    await turn(socket, "r1");
    await sql("damaged-turn", (db) => void db.exec("UPDATE turns SET state = 'running', body = '{', outcome = NULL"));
    await crash("damaged-turn");
    const again = await ChatSocket.open("damaged-turn");
    await turn(again, "r2");
    expect((await storedMessages("damaged-turn")).map(textOf)).toEqual(["r1", "ok", "r2", "ok"]);
  });
});

describe("order", () => {
  it("T14, T178: is that of arrival, also when the clock goes backwards", async () => {
    const clock = manualClock(2_000_000_000_000);
    const before = TestConversation.clock;
    TestConversation.clock = clock;
    try {
      const socket = await ChatSocket.open("arrival-1");
      for (const id of ["r1", "r2", "r3"]) {
        await turn(socket, id);
        clock.advance(-3_600_000);
      }
    } finally {
      TestConversation.clock = before;
    }
    await crash("arrival-1");
    expect((await storedMessages("arrival-1")).map(textOf)).toEqual(["r1", "ok", "r2", "ok", "r3", "ok"]);
  });

  it("holds for ten messages that arrive at once, in one request and in ten", async () => {
    const socket = await ChatSocket.open("arrival-2");
    socket.ask(
      "all",
      list(10).map((message) => userText(message.id, message.id)),
    );
    await socket.ended("all");
    for (let n = 0; n < 10; n++) socket.ask(`r${n}`, `t${n}`);
    await socket.ended("r9");
    const stored = await storedMessages("arrival-2");
    expect(ids(stored.slice(0, 10))).toEqual(ids(list(10)));
    const asked = stored.slice(11).filter((message) => message.role === "user");
    expect(asked.map(textOf)).toEqual(Array.from({ length: 10 }, (_, n) => `t${n}`));
    expect(stored.slice(11).map((message) => message.role)).toEqual(
      Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? "user" : "assistant")),
    );
  });
});

describe("maxPersistedMessages", () => {
  it("F12: keeps the newest, and tells every client what is left", async () => {
    const setup = setUp("most-1", "ok");
    setup.configure = (self) => (self.maxPersistedMessages = 4);
    const stock = await ChatSocket.open("most-1");
    const ours = await ChatSocket.open("most-1", { capabilities: "delta,cursor" });
    for (const id of ["r1", "r2", "r3", "r4", "r5"]) await turn(stock, id);
    const stored = await storedMessages("most-1");
    expect(stored.map(textOf)).toEqual(["r4", "ok", "r5", "ok"]);
    expect(await countOf("most-1", "messages")).toBe(4);
    expect(stock.of("cf_agent_chat_messages").at(-1)?.messages).toEqual(stored);
    await ours.settled();
    const tail = ours.of("cf_agent_chat_tail").at(-1);
    expect(tail).toMatchObject({ after: "r5-user", first: "r4-user" });
    expect(await inside("most-1", (self) => self.messages)).toEqual(stored);
    const history = (await (await http("most-1", "/get-messages?limit=2")).json()) as UIMessage[];
    expect(ids(history)).toEqual(ids(stored.slice(2)));
    await crash("most-1");
    expect(await storedMessages("most-1")).toEqual(stored);
  });

  it("drops the pieces of large messages with them", async () => {
    const setup = setUp("most-2", "ok");
    setup.configure = (self) => (self.maxPersistedMessages = 2);
    const socket = await ChatSocket.open("most-2");
    await turn(socket, "r1", "x".repeat(3_000_000));
    expect(await countOf("most-2", "message_parts")).toBeGreaterThan(1);
    await turn(socket, "r2");
    expect(await countOf("most-2", "message_parts")).toBe(0);
  });
});

describe("assigning `messages`", () => {
  it("replaces the path, tells clients, and is there after eviction", async () => {
    const stock = await ChatSocket.open("assign-1");
    const ours = await ChatSocket.open("assign-1", { capabilities: "delta" });
    await turn(stock, "r1");
    await inside("assign-1", (self) => void (self.messages = list(3)));
    await stock.settled();
    await ours.settled();
    expect(stock.of("cf_agent_chat_messages").at(-1)?.messages).toEqual(list(3));
    expect(ours.of("cf_agent_chat_tail").at(-1)).toMatchObject({ after: null, messages: list(3) });
    await crash("assign-1");
    expect(await storedMessages("assign-1")).toEqual(list(3));
  });

  it("is refused while a turn runs or waits, and changes nothing then", async () => {
    const held = gate();
    setUp("assign-2", "a", held.passed);
    const socket = await ChatSocket.open("assign-2");
    socket.ask("r1", "hi");
    await socket.chunk("r1", 3);
    const refusal = await inside("assign-2", (self) => {
      try {
        self.messages = [];
        return null;
      } catch (error) {
        return (error as { code: string }).code;
      }
    });
    expect(refusal).toBe("conflict");
    held.open();
    await socket.ended("r1");
    expect((await storedMessages("assign-2")).map(textOf)).toEqual(["hi", "a"]);
  });

  it("takes an empty list, and leaves everything as it was when one message cannot be stored", async () => {
    const socket = await ChatSocket.open("assign-3");
    await turn(socket, "r1");
    const before = await storedMessages("assign-3");
    const failure = inside("assign-3", (self) => void (self.messages = [...list(2), ...list(1)]));
    await expect(failure).rejects.toThrow(/UNIQUE/);
    expect(await storedMessages("assign-3")).toEqual(before);
    expect(await inside("assign-3", (self) => self.messages)).toEqual(before);
    await inside("assign-3", (self) => void (self.messages = []));
    expect(await storedMessages("assign-3")).toEqual([]);
    await turn(socket, "r2");
    expect((await storedMessages("assign-3")).map(textOf)).toEqual(["r2", "ok"]);
  });
});

describe("large content", () => {
  it("T107: keeps a tool output of 3 MB byte for byte, also after eviction", async () => {
    const output = { rows: Array.from({ length: 3000 }, (_, n) => `${n} ${"é".repeat(500)}`), ok: true };
    const setup = stage("large-10");
    setup.tools = {
      fetchRows: tool({ inputSchema: jsonSchema<object>({ type: "object" }), execute: () => output }),
    };
    setup.model = new ScriptedModel((_, n) =>
      n === 0 ? [...toolCall("c1", "fetchRows", {}), finish("tool-calls")] : [...text("done"), finish()],
    );
    const socket = await ChatSocket.open("large-10", { capabilities: "delta,cursor" });
    await turn(socket, "r1");
    await socket.settled();
    await evictDurableObject(conversation("large-10"));
    const [, answer] = (await (await http("large-10", "/get-messages")).json()) as UIMessage[];
    const part = answer?.parts.find((one) => "toolCallId" in one);
    expect(part).toMatchObject({ type: "tool-fetchRows", state: "output-available" });
    expect((part as { output: unknown }).output).toEqual(output);
    socket.ask("r2", "and now?");
    expect(await socket.ended("r2")).toMatchObject({ outcome: "completed" });
  });

  it("keeps a large request that waits in line when the object is lost", async () => {
    const setup = setUp("large-11", "a", new Promise(() => undefined));
    const socket = await ChatSocket.open("large-11", { capabilities: "delta,cursor" });
    socket.ask("r1", "first");
    await socket.chunk("r1", 3);
    const big = "😀".repeat(700_000);
    socket.ask("r2", big);
    await socket.until(
      (frame) => frame.type === "cf_agent_chat_tail" && frame.messages.some((m) => m.id === "r2-user"),
    );
    expect(await sql("large-11", (db) => db.exec<{ n: number }>("SELECT COUNT(*) AS n FROM turn_parts").one().n)).toBe(
      2,
    );
    setup.model = new ScriptedModel(() => say("ok"));
    await crash("large-11");
    const again = await ChatSocket.open("large-11", { capabilities: "delta,cursor" });
    again.send({ type: "cf_agent_stream_resume_request", probeId: "p", requests: ["r2"] });
    void again
      .until((frame) => frame.type === "cf_agent_stream_resuming" && frame.id === "r2")
      .then(() => again.send({ type: "cf_agent_stream_resume_ack", id: "r2" }));
    const ended = await again.until(
      (frame) => frame.type === "cf_agent_use_chat_response" && frame.id === "r2" && frame.done,
    );
    expect(ended).toMatchObject({ outcome: "completed" });
    const stored = (await (await http("large-11", "/get-messages")).json()) as UIMessage[];
    expect(ids(stored.slice(-2))[0]).toBe("r2-user");
    expect(textOf(stored.at(-2)) === big).toBe(true);
    expect(textOf(stored.at(-1))).toBe("ok");
  });

  it("T172: starts on 50,000 messages with a bounded window, a first page and one more turn", async () => {
    await sql("large-12", (db) => {
      db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
        INSERT INTO messages (seq, id, parent, role, bytes, body)
        SELECT i, 'm' || i, NULLIF(i - 1, 0), iif(i % 2, 'user', 'assistant'), 90,
          json_object('id', 'm' || i, 'role', iif(i % 2, 'user', 'assistant'),
            'parts', json('[{"type":"text","text":"message ' || i || '"}]')) FROM n`);
    });
    await crash("large-12");
    stage("large-12").configure = (self) => (self.contextBytes = 50_000);
    const label = "conversation:large-12";
    resetCounts(label);
    const socket = await ChatSocket.open("large-12", { capabilities: "delta,cursor" });
    const opening = await socket.until((frame) => frame.type === "cf_agent_chat_messages");
    expect(opening).toMatchObject({ hasMore: true });
    expect("messages" in opening && opening.messages.length).toBe(50);
    await turn(socket, "r1");
    const window = await inside("large-12", (self) => self.messages);
    expect(window.length).toBeGreaterThan(100);
    expect(window.length).toBeLessThan(700);
    expect(window[0]?.role).toBe("user");
    expect(countsOf(label).rowsRead).toBeLessThan(10_000);
    expect(await storedMessages("large-12")).toHaveLength(50_002);
  });
});

/** Rows written by the second turn behind a history of this length. */
const written = async (name: string, length: number): Promise<number> => {
  await inside(name, (self) => void (self.messages = list(length)));
  const socket = await ChatSocket.open(name, { capabilities: "delta,cursor" });
  await turn(socket, "warm");
  await socket.settled();
  resetCounts(`conversation:${name}`);
  await turn(socket, "r1");
  await socket.settled();
  return countsOf(`conversation:${name}`).rowsWritten;
};

describe("what a turn writes", () => {
  it("T119: is the same whatever the length of the history, and no row is written twice", async () => {
    const [short, long] = [await written("writes-2", 2), await written("writes-400", 400)];
    expect(long).toBe(short);
    expect(short).toBeLessThan(30);
  });

  it("is what onSanitizeMessage made of it, once per message", async () => {
    const setup = setUp("writes-hook", "my number is 555");
    let calls = 0;
    setup.onSanitizeMessage = (message) => {
      calls++;
      const parts = message.parts.map((part) =>
        part.type === "text" ? { ...part, text: part.text.replace("555", "***") } : part,
      );
      return { ...message, parts };
    };
    const socket = await ChatSocket.open("writes-hook");
    await turn(socket, "r1");
    expect(calls).toBe(2);
    await crash("writes-hook");
    expect((await storedMessages("writes-hook")).map(textOf)).toEqual(["r1", "my number is ***"]);
    expect(calls).toBe(2);
  });
});
