import { describe, expect, it } from "vitest";
import { inBareAgent } from "../../test/harness/bare-agents.ts";
import { RequestContextStore } from "./request-context-store.ts";
import { runSql } from "./sql-provider.ts";

describe("RequestContextStore (F194)", () => {
  it("keeps JSON values for a store that comes later", async () => {
    await inBareAgent((agent) => {
      const store = new RequestContextStore(agent);
      store.set("lastBody", { model: "x", list: [1, null] });
      store.set("lastBody", { model: "y" });
      store.set("flag", false);
      expect(new RequestContextStore(agent).get("lastBody")).toEqual({ model: "y" });
      expect(new RequestContextStore(agent).getAll()).toEqual({ flag: false, lastBody: { model: "y" } });
      expect(store.get("missing")).toBeUndefined();
    });
  });

  it("deletes a key that is set to null or undefined", async () => {
    await inBareAgent((agent) => {
      const store = new RequestContextStore(agent);
      for (const nothing of [null, undefined]) {
        store.set("a", 1);
        store.set("a", nothing);
        expect(store.get("a")).toBeUndefined();
      }
      expect(store.getAll()).toEqual({});
    });
  });

  it("skips values that are damaged and still tells the others", async () => {
    await inBareAgent((agent) => {
      const store = new RequestContextStore(agent);
      store.set("good", 1);
      store.set("bad", 2);
      void agent.sql`UPDATE cf_chat_request_context SET value = '{"cut' WHERE key = 'bad'`;
      expect(store.get("bad")).toBeUndefined();
      expect(store.getAll()).toEqual({ good: 1 });
    });
  });

  it("clears only its own table and makes it on first use", async () => {
    await inBareAgent((agent) => {
      const [mine, other] = [new RequestContextStore(agent, "select"), new RequestContextStore(agent, "other_2")];
      const tables = () =>
        runSql<{ name: string }>(agent, "SELECT name FROM sqlite_master WHERE name IN ('select', 'other_2')").length;
      expect(tables()).toBe(0);
      mine.set("a", 1);
      other.set("a", 2);
      expect(tables()).toBe(2);
      mine.clear();
      expect([mine.getAll(), other.getAll()]).toEqual([{}, { a: 2 }]);
    });
  });

  it("refuses a table name that is no identifier", async () => {
    await inBareAgent((agent) => {
      for (const table of ["", "1a", "a b", 'a"b', "a;DROP TABLE x", "a-b", "tablé", "a\n"]) {
        expect(() => new RequestContextStore(agent, table)).toThrow(
          expect.objectContaining({ name: "TroupeError", code: "bad_request" }),
        );
      }
    });
  });

  it("keeps keys and values that look like SQL or like a prototype", async () => {
    await inBareAgent((agent) => {
      const store = new RequestContextStore(agent);
      for (const key of ["'; DROP TABLE cf_chat_request_context; --", "__proto__", "?"]) {
        store.set(key, "'?\"");
        expect(store.get(key)).toBe("'?\"");
      }
      expect(Object.keys(store.getAll())).toHaveLength(3);
    });
  });
});
