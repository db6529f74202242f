import { describe, expect, it } from "vitest";
import { inConversationDatabase } from "../../../../test/harness/conversation-databases.ts";
import { MessageStore, type StoredMessage } from "./message-store.ts";
import { TranscriptWindow, wholeTurns } from "./window.ts";

/** Entries from words such as `u10`: the role and the size in bytes. */
const entriesOf = (words: string): StoredMessage[] =>
  words.split(" ").flatMap((word, at) =>
    word === ""
      ? []
      : {
          seq: at + 1,
          parent: at === 0 ? null : at,
          bytes: Number(word.slice(1)),
          message: { id: `m${at + 1}`, role: word[0] === "u" ? "user" : "assistant", parts: [] },
        },
  );

describe("wholeTurns", () => {
  it.each<[string, number, number]>([
    ["", 100, 0],
    ["u10 a10", 100, 2],
    ["u10 a10 u10 a10", 20, 2],
    ["u10 a10 u10 a10", 39, 2],
    ["u10 a10 u10 a10", 40, 4],
    ["u10 a10 u10 a10", 1, 2],
    ["u10 a10 u50", 1, 1],
    ["u10 a10 a10 a10", 15, 4],
    ["u10 a10 u10 u10 a10", 25, 2],
    ["a10 a10", 100, 2],
    ["a10 u10 a10", 100, 3],
    ["a10 u10 a10", 20, 2],
  ])("of %j within %i bytes keeps the last %i", (words, budget, count) => {
    const entries = entriesOf(words);
    expect(wholeTurns(entries, budget)).toEqual(count === 0 ? [] : entries.slice(-count));
  });
});

/** A window of four messages over a chain of six. */
const filled = (body: (window: TranscriptWindow, store: MessageStore, stored: StoredMessage[]) => void) =>
  inConversationDatabase((db) => {
    const store = new MessageStore(db);
    const stored: StoredMessage[] = [];
    for (let at = 0; at < 6; at++) {
      const role = at % 2 === 0 ? ("user" as const) : ("assistant" as const);
      stored.push(
        store.append({ id: `m${at}`, role, parts: [{ type: "text", text: "x" }] }, stored.at(-1)?.seq ?? null),
      );
    }
    body(
      new TranscriptWindow(store, () => stored.slice(2).reduce((sum, entry) => sum + entry.bytes, 0)),
      store,
      stored,
    );
  });

const plain = (id: string) => ({ id, role: "user" as const, parts: [] });

describe("TranscriptWindow", () => {
  it("holds the newest turns, knows its head, and that there is more", () =>
    filled((window) => {
      expect(window.messages().map((message) => message.id)).toEqual(["m2", "m3", "m4", "m5"]);
      expect([window.head(), window.isPartial()]).toEqual([6, true]);
    }));

  it("keeps its array until something changes", () =>
    filled((window, store, stored) => {
      const before = window.messages();
      window.append([]);
      expect(window.messages()).toBe(before);
      window.append([store.append({ id: "m6", role: "user", parts: [] }, stored.at(-1)?.seq ?? null)]);
      expect(window.messages().map((message) => message.id)).toEqual(["m4", "m5", "m6"]);
      expect(before).toHaveLength(4);
    }));

  it("shows an earlier path until it is loaded again, also one that it does not hold", () =>
    filled((window) => {
      window.show(5);
      expect([window.head(), window.messages().length]).toEqual([5, 3]);
      window.show(2);
      expect(window.messages().map((message) => message.id)).toEqual(["m0", "m1"]);
      expect(window.isPartial()).toBe(false);
      window.show(null);
      expect([window.messages(), window.head(), window.isPartial()]).toEqual([[], null, false]);
      window.reload();
      expect(window.head()).toBe(6);
    }));

  it("leaves nothing out once the older ones are trimmed away, but a damaged one counts", () =>
    inConversationDatabase((db) => {
      const store = new MessageStore(db);
      const first = store.append(plain("a"), null);
      const second = store.append(plain("b"), first.seq);
      const window = new TranscriptWindow(store, () => 1);
      db.run("UPDATE messages SET body = '{' WHERE seq = ?", first.seq);
      expect([window.head(), window.isPartial()]).toEqual([second.seq, true]);
      store.trim(1);
      expect(window.isPartial()).toBe(false);
    }));
});
