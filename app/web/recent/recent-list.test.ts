import { describe, expect, it } from "vitest";
import { forget, MAX_RECENT, MAX_TITLE_CHARS, parseRecent, remember, rename, titleOf } from "./recent-list.ts";

const a = { name: "a", title: "First", atMs: 1 };
const b = { name: "b", title: "Second", atMs: 2 };

describe("the list of recent conversations", () => {
  it("has the one in which something was said last in front", () => {
    const list = remember(remember([], a), b);
    expect(list.map(({ name }) => name)).toEqual(["b", "a"]);
    expect(remember(list, { ...a, atMs: 3 }).map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("keeps the first title, takes one where there was none, and is the same list when nothing is new", () => {
    expect(remember([a], { ...a, title: "Later", atMs: 2 })).toEqual([{ ...a, atMs: 2 }]);
    expect(remember([{ ...a, title: "" }], a)).toEqual([a]);
    const list = [b, a];
    expect(remember(list, a)).toBe(list);
    expect(remember(list, { ...a, atMs: 0 })).toBe(list);
  });

  it("keeps a given title, and takes no blank one", () => {
    const list = rename([a], "a", "  Mine \n");
    expect(list).toEqual([{ ...a, title: "Mine", isRenamed: true }]);
    expect(remember(list, { ...a, atMs: 5 })[0]?.title).toBe("Mine");
    expect(rename(list, "a", "  ")).toBe(list);
  });

  it("forgets one", () => {
    const list = [b, a];
    expect(forget(list, "b")).toEqual([a]);
    expect(forget(list, "c")).toBe(list);
  });

  it("keeps so many and no more", () => {
    let list = [a, b] as ReturnType<typeof remember>;
    for (let at = 3; at < MAX_RECENT + 10; at++) list = remember(list, { name: `c${at}`, title: "", atMs: at });
    expect(list).toHaveLength(MAX_RECENT);
    expect(list[0]?.name).toBe(`c${MAX_RECENT + 9}`);
  });

  it("takes the first line that says something as a title, and cuts between letters", () => {
    expect(titleOf("\n  Hello \t there\nmore")).toBe("Hello there");
    expect([...titleOf("😀".repeat(200))]).toHaveLength(MAX_TITLE_CHARS);
    expect(titleOf(" \n ")).toBe("");
  });

  it("reads what it wrote and leaves out what is broken", () => {
    const list = rename([b, a], "a", "Mine");
    expect(parseRecent(JSON.stringify(list))).toEqual(list);
    expect(parseRecent(JSON.stringify([a, { name: 1 }, null]))).toEqual([a]);
    // No date, no address, and twice the same: none of them can be drawn.
    expect(parseRecent(JSON.stringify([a, { ...b, atMs: 1e20 }, { ...b, name: "\ud800" }, a]))).toEqual([a]);
    for (const text of [null, "", "{", "{}", "7"]) expect(parseRecent(text)).toEqual([]);
  });
});
