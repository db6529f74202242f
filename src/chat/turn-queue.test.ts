import { describe, expect, it } from "vitest";
import { TurnQueue } from "./turn-queue.ts";

/** A turn that the test ends by hand, and the log of what started. */
function turns() {
  const started: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<string>>();
  const run = (id: string) => (): Promise<string> => {
    started.push(id);
    const gate = Promise.withResolvers<string>();
    gates.set(id, gate);
    return gate.promise;
  };
  return {
    started,
    run,
    end: (id: string) => gates.get(id)?.resolve(`${id} done`),
    fail: (id: string) => gates.get(id)?.reject(new Error(id)),
  };
}

describe("TurnQueue", () => {
  it("runs turns one after the other, in the order they came", async () => {
    const queue = new TurnQueue();
    const { started, run, end } = turns();
    const results = ["a", "b", "c"].map((id) => queue.enqueue(id, run(id)));
    expect(started).toEqual(["a"]);
    expect([queue.isActive, queue.activeRequestId, queue.queuedCount()]).toEqual([true, "a", 2]);
    end("a");
    await results[0];
    await Promise.resolve();
    expect([started, queue.activeRequestId, queue.queuedCount()]).toEqual([["a", "b"], "b", 1]);
    end("b");
    await results[1];
    await Promise.resolve();
    end("c");
    expect(await Promise.all(results)).toEqual(
      ["a", "b", "c"].map((id) => ({ status: "completed", value: `${id} done` })),
    );
    expect([queue.isActive, queue.activeRequestId, queue.queuedCount()]).toEqual([false, null, 0]);
  });

  it("rejects only the promise of a turn that fails", async () => {
    const queue = new TurnQueue();
    const first = queue.enqueue("a", () => Promise.reject(new Error("no model")));
    const second = queue.enqueue("b", () => Promise.resolve(2));
    await expect(first).rejects.toThrow("no model");
    expect(await second).toEqual({ status: "completed", value: 2 });
  });

  it("counts a synchronous throw as a rejection", async () => {
    const queue = new TurnQueue();
    const first = queue.enqueue("a", () => {
      throw new Error("at once");
    });
    await expect(first).rejects.toThrow("at once");
    expect(queue.isActive).toBe(false);
  });

  it("makes waiting turns stale inside reset and leaves the running one alone", async () => {
    const queue = new TurnQueue();
    const { started, run, end } = turns();
    const stale: string[] = [];
    const running = queue.enqueue("a", run("a"), { onStale: () => stale.push("a") });
    const waiting = ["b", "c"].map((id) => queue.enqueue(id, run(id), { onStale: () => stale.push(id) }));
    queue.reset();
    expect([stale, queue.generation, queue.queuedCount()]).toEqual([["b", "c"], 1, 0]);
    expect(await Promise.all(waiting)).toEqual([{ status: "stale" }, { status: "stale" }]);
    const next = queue.enqueue("d", run("d"));
    end("a");
    expect(await running).toEqual({ status: "completed", value: "a done" });
    await Promise.resolve();
    end("d");
    await next;
    expect(started).toEqual(["a", "d"]);
  });

  it("never runs a turn that is reset after the one before has ended and before it starts", async () => {
    const queue = new TurnQueue();
    const gate = Promise.withResolvers<void>();
    const { started, run } = turns();
    void queue.enqueue("a", () => gate.promise);
    const second = queue.enqueue("b", run("b"));
    // Registered after the queue's own reaction to the same promise, so it runs right behind it.
    const inBetween = gate.promise.then(() => {
      const seen = [queue.isActive, queue.queuedCount()];
      queue.reset();
      return seen;
    });
    gate.resolve();
    expect(await inBetween).toEqual([false, 1]);
    expect(await second).toEqual({ status: "stale" });
    expect(started).toEqual([]);
  });

  it("refuses a turn that was decided in an older generation", async () => {
    const queue = new TurnQueue();
    const { generation } = queue;
    queue.reset();
    const { started, run } = turns();
    let stale = 0;
    expect(await queue.enqueue("a", run("a"), { generation, onStale: () => stale++ })).toEqual({ status: "stale" });
    expect([started, stale]).toEqual([[], 1]);
  });

  it("is idle when nothing runs or waits, also for turns that came while somebody waited", async () => {
    const queue = new TurnQueue();
    await queue.waitForIdle();
    const { started, run, end } = turns();
    void queue.enqueue("a", () => {
      void queue.enqueue("b", run("b"));
      return Promise.resolve();
    });
    let isIdle = false;
    const idle = queue.waitForIdle().then(() => (isIdle = true));
    while (!started.includes("b")) await Promise.resolve();
    expect(isIdle).toBe(false);
    end("b");
    await idle;
    expect(queue.isActive).toBe(false);
  });
});
