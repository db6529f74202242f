import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { inConversationDatabase } from "../../../../test/harness/conversation-databases.ts";
import { counted } from "../../../../test/harness/counted-database.ts";
import { utf8Bytes } from "../../../shared/json-limits.ts";
import { MessageStore } from "./message-store.ts";

const message = (id: string, text = id): UIMessage => ({ id, role: "user", parts: [{ type: "text", text }] });
const idsOf = (entries: readonly { message: UIMessage }[]) => entries.map((entry) => entry.message.id);

/** A store with a chain of messages m1…mn. */
const withChain = (n: number, body: (store: MessageStore) => void) =>
  inConversationDatabase((db) => {
    const store = new MessageStore(db);
    for (let at = 1; at <= n; at++) store.append(message(`m${at}`), at === 1 ? null : at - 1);
    body(store);
  });

describe("MessageStore", () => {
  it("is empty at first", () =>
    withChain(0, (store) => {
      expect([store.leaf(), store.activePath(), store.locate("x"), store.has(1)]).toEqual([null, [], null, false]);
      expect([...store.activePathTexts()]).toEqual([]);
      expect(store.trim(0)).toBe(false);
    }));

  it("gives back what it took, with sizes in bytes of UTF-8", () =>
    inConversationDatabase((db) => {
      const store = new MessageStore(db);
      const emoji = message("e", "😀é\u0000\ud800");
      const stored = store.append(emoji, null);
      expect(stored.bytes).toBe(utf8Bytes(JSON.stringify(emoji)));
      expect(store.activePath()).toEqual([stored]);
    }));

  it("follows the branch of the newest message", () =>
    withChain(4, (store) => {
      store.append(message("again"), 2);
      expect(idsOf(store.activePath())).toEqual(["m1", "m2", "again"]);
      expect(idsOf(store.path(4))).toEqual(["m1", "m2", "m3", "m4"]);
      expect([...store.activePathTexts()].map((text) => (JSON.parse(text) as UIMessage).id)).toEqual([
        "m1",
        "m2",
        "again",
      ]);
    }));

  it.each([
    [1, 1, ["m5"]],
    [Number.MAX_SAFE_INTEGER, 2, ["m4", "m5"]],
    [Number.MAX_SAFE_INTEGER, 9, ["m1", "m2", "m3", "m4", "m5"]],
    [60, 9, ["m5"]],
    [61, 9, ["m4", "m5"]],
  ])("reads a path back to %i bytes and %i rows", (maxBytes, maxRows, ids) =>
    withChain(5, (store) => {
      const size = store.path(1)[0]?.bytes ?? 0;
      expect(idsOf(store.path(5, maxBytes <= 61 ? maxBytes - 60 + size : maxBytes, maxRows))).toEqual(ids);
    }),
  );

  it("says where a page goes on, damaged rows and all", () =>
    inConversationDatabase((db) => {
      const store = new MessageStore(db);
      for (let at = 1; at <= 4; at++) store.append(message(`m${at}`), at === 1 ? null : at - 1);
      db.run("UPDATE messages SET body = 'x' WHERE seq IN (2, 3)");
      const read = (from: number) => {
        const { entries, rest } = store.page(from, Number.MAX_SAFE_INTEGER, 2);
        return [idsOf(entries), rest];
      };
      expect(read(4)).toEqual([["m4"], 2]);
      expect(read(3)).toEqual([[], 1]);
      expect(read(2)).toEqual([["m1"], null]);
      expect(store.activePath().map((entry) => entry.seq)).toEqual([1, 4]);
      expect([...store.activePathTexts()]).toHaveLength(2);
    }));

  it("keeps large messages in pieces, and drops the pieces with them", () =>
    inConversationDatabase((db) => {
      const store = new MessageStore(db);
      const pieces = () => db.first<{ n: number }>("SELECT COUNT(*) AS n FROM message_parts")?.n;
      const big = message("big", "😀".repeat(600_000));
      const stored = store.append(big, null);
      expect(pieces()).toBeGreaterThan(1);
      expect(store.activePath()[0]?.message).toEqual(big);
      const small = store.update(stored, message("big", "small"));
      expect(store.activePath()).toEqual([small]);
      store.update(small, big);
      expect(store.activePath()[0]?.message).toEqual(big);
      store.append(message("next"), stored.seq);
      expect(store.trim(1)).toBe(true);
      expect([pieces(), idsOf(store.activePath())]).toEqual([0, ["next"]]);
      store.clear();
      expect([store.leaf(), pieces()]).toEqual([null, 0]);
    }));

  it("never gives a seq out again while rows are left", () =>
    withChain(3, (store) => {
      store.trim(1);
      expect(store.append(message("m4"), 3).seq).toBe(4);
      expect(idsOf(store.activePath())).toEqual(["m3", "m4"]);
    }));

  it("refuses an id twice", () =>
    withChain(1, (store) => {
      expect(() => store.append(message("m1"), 1)).toThrow(/UNIQUE/);
    }));

  it("costs the same at the end of a long path as of a short one", () =>
    inConversationDatabase((db) => {
      const counting = counted(db);
      const store = new MessageStore(counting.db);
      const costs = [];
      for (let at = 1; at <= 300; at++) {
        store.append(message(`m${at}`), at === 1 ? null : at - 1);
        costs.push(JSON.stringify(counting.take()));
      }
      expect(new Set(costs).size).toBe(1);
    }));
});
