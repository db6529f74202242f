// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from "vitest";
import { StoredValue } from "./stored-value.ts";

const numberIn = (text: string | null) => Number(text ?? 0);
const counter = () => new StoredValue("count", numberIn);

const refuse = () => {
  throw new DOMException("Not allowed", "SecurityError");
};

describe("a value that the browser keeps", () => {
  beforeEach(() => localStorage.clear());

  it("is there again for the next page", () => {
    const first = counter();
    first.update((count) => count + 1);
    first.update((count) => count + 1);
    expect(counter().get()).toBe(2);
    expect(localStorage.getItem("count")).toBe("2");
  });

  it("changes from what another tab left, not from what was here", () => {
    const here = counter();
    localStorage.setItem("count", "5");
    here.update((count) => count + 1);
    expect(here.get()).toBe(6);
  });

  it("tells listeners of changes here and in other tabs, once each, and only until they leave", () => {
    const here = counter();
    const seen: number[] = [];
    const leave = here.subscribe(() => seen.push(here.get()));
    here.update(() => 1);
    here.update((count) => count);
    localStorage.setItem("count", "2");
    dispatchEvent(new StorageEvent("storage", { key: "count" }));
    dispatchEvent(new StorageEvent("storage", { key: "another" }));
    leave();
    here.update(() => 3);
    expect(seen).toEqual([1, 2]);
  });

  it("lives as long as the page where the browser keeps nothing", () => {
    const own = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
    Object.defineProperty(globalThis, "localStorage", { configurable: true, get: refuse });
    try {
      const here = counter();
      here.update(() => 7);
      expect(here.get()).toBe(7);
      expect(counter().get()).toBe(0);
    } finally {
      if (own) Object.defineProperty(globalThis, "localStorage", own);
    }
  });

  it("keeps every change for the page where storage is full and holds an older value", () => {
    const own = Object.getOwnPropertyDescriptor(globalThis, "localStorage");
    const full = {
      getItem: () => "1",
      setItem: () => {
        throw new DOMException("Full", "QuotaExceededError");
      },
    };
    Object.defineProperty(globalThis, "localStorage", { configurable: true, value: full });
    try {
      const here = counter();
      here.update((count) => count + 1);
      here.update((count) => count + 1);
      here.subscribe(() => undefined)();
      expect(here.get()).toBe(3);
    } finally {
      if (own) Object.defineProperty(globalThis, "localStorage", own);
    }
  });
});
