import { describe, expect, it } from "vitest";
import { AbortRegistry } from "./abort-registry.ts";

describe("AbortRegistry (F189)", () => {
  it("gives one signal per id", () => {
    const registry = new AbortRegistry();
    expect(registry.has("a")).toBe(false);
    const signal = registry.getSignal("a");
    expect([registry.has("a"), signal.aborted, registry.getSignal("a") === signal]).toEqual([true, false, true]);
    expect(registry.getSignal("b")).not.toBe(signal);
  });

  it("cancels one request and stays silent about unknown ones", () => {
    const registry = new AbortRegistry();
    const [a, b] = [registry.getSignal("a"), registry.getSignal("b")];
    registry.cancel("a");
    registry.cancel("a");
    registry.cancel("unknown");
    expect([a.aborted, b.aborted, registry.has("a"), registry.has("unknown")]).toEqual([true, false, true, false]);
  });

  it("forgets a request without aborting it", () => {
    const registry = new AbortRegistry();
    const signal = registry.getSignal("a");
    registry.remove("a");
    registry.cancel("a");
    expect([signal.aborted, registry.has("a"), registry.getSignal("a") === signal]).toEqual([false, false, false]);
  });

  it("aborts and forgets every request", () => {
    const registry = new AbortRegistry();
    const signals = [registry.getSignal("a"), registry.getSignal("b")];
    registry.destroyAll();
    expect(signals.map((signal) => signal.aborted)).toEqual([true, true]);
    expect([registry.has("a"), registry.has("b")]).toEqual([false, false]);
  });
});
