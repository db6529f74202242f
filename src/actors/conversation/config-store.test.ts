import { describe, expect, it } from "vitest";
import { counted } from "../../../test/harness/counted-database.ts";
import { inConversationDatabase } from "../../../test/harness/conversation-databases.ts";
import { ConfigStore } from "./config-store.ts";

describe("ConfigStore", () => {
  it.each<[string, unknown]>([
    ["an object", { a: { b: [1, null, "é"] } }],
    ["false", false],
    ["zero", 0],
    ["an empty text", ""],
    ["null", null],
  ])("keeps %s, also for the next one over the same storage", (_, value) =>
    inConversationDatabase((db) => {
      const store = new ConfigStore(db);
      store.set(value);
      expect([store.get(), new ConfigStore(db).get()]).toEqual([value, value]);
    }),
  );

  it.each([undefined, () => 1, Symbol("x")])("refuses what JSON cannot hold: %s", (value) =>
    inConversationDatabase((db) => {
      const store = new ConfigStore(db);
      store.set("before");
      expect(() => store.set(value)).toThrow(expect.objectContaining({ code: "bad_request" }));
      expect(store.get()).toBe("before");
    }),
  );

  it("hands out copies and keeps none of what it was given", () =>
    inConversationDatabase((db) => {
      const store = new ConfigStore(db);
      const given = { list: [1] };
      store.set(given);
      given.list.push(2);
      (store.get() as typeof given).list.push(3);
      expect(store.get()).toEqual({ list: [1] });
    }));

  it("asks storage once, also when there is nothing", () =>
    inConversationDatabase((db) => {
      const counting = counted(db);
      const store = new ConfigStore(counting.db);
      expect(store.get()).toBeNull();
      counting.take();
      expect([store.get(), counting.take().statements]).toEqual([null, 0]);
      store.set(1);
      counting.take();
      expect([store.get(), counting.take().statements]).toEqual([1, 0]);
    }));

  it("takes over an older table's value once, and leaves alone what it cannot read", () =>
    inConversationDatabase((db) => {
      db.run("CREATE TABLE assistant_config (session_id TEXT, key TEXT, value TEXT)");
      db.run(`INSERT INTO assistant_config VALUES ('s', 'other', '"no"'), ('s', '_think_config', '"old"')`);
      expect(new ConfigStore(db).get()).toBe("old");
      db.run(`UPDATE assistant_config SET value = '"newer"'`);
      expect(new ConfigStore(db).get()).toBe("old");
      db.run("DELETE FROM config");
      db.run("UPDATE assistant_config SET value = '{'");
      expect(new ConfigStore(db).get()).toBeNull();
    }));

  it("prefers the newer of two older tables", () =>
    inConversationDatabase((db) => {
      db.run("CREATE TABLE assistant_config (session_id TEXT, key TEXT, value TEXT)");
      db.run("CREATE TABLE think_config (key TEXT, value TEXT)");
      db.run(`INSERT INTO assistant_config VALUES ('s', '_think_config', '"oldest"')`);
      db.run(`INSERT INTO think_config VALUES ('_think_config', '"old"')`);
      expect(new ConfigStore(db).get()).toBe("old");
    }));
});
