import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Attempt, ReconnectingSocket, reconnectDelayMs } from "./reconnecting-socket.ts";

type Fire = (event: { data?: unknown; code?: number }) => void;

/** A WebSocket held by hand. */
class HeldSocket {
  readyState = 0;
  closedWith: number | undefined;
  readonly sent: unknown[] = [];
  readonly #listeners = new Map<string, Fire>();

  send(data: unknown): void {
    this.sent.push(data);
  }

  close(code?: number): void {
    this.readyState = 3;
    this.closedWith = code;
  }

  addEventListener(type: string, listener: Fire): void {
    this.#listeners.set(type, listener);
  }

  fire(type: "open" | "close" | "message", event: Parameters<Fire>[0] = {}): void {
    this.readyState = type === "close" ? 3 : 1;
    this.#listeners.get(type)?.(event);
  }
}

function setUp() {
  const attempts: HeldSocket[] = [];
  const heard: string[] = [];
  const socket = new ReconnectingSocket(() => {
    attempts.push(new HeldSocket());
    return attempts.at(-1) as unknown as Attempt;
  });
  socket.addEventListener("open", () => heard.push("open"));
  socket.addEventListener("close", ({ code }) => heard.push(`close ${code}`));
  socket.addEventListener("message", ({ data }) => heard.push(String(data)));
  const last = () => attempts.at(-1) as HeldSocket;
  return { attempts, heard, socket, last };
}

describe("ReconnectingSocket", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("passes on what it hears, and sends only while it is open", () => {
    const { socket, heard, last } = setUp();
    socket.send("too early");
    last().fire("open");
    socket.send("one");
    last().fire("message", { data: "hello" });
    last().fire("close", { code: 1001 });
    socket.send("too late");
    expect(heard).toEqual(["open", "hello", "close 1001"]);
    expect(last().sent).toEqual(["one"]);
  });

  it("tries again after a loss, more slowly each time, until a link has held for five seconds", () => {
    const { attempts, last } = setUp();
    const waitedMs = () => {
      const before = attempts.length;
      let waited = 0;
      for (; attempts.length === before; waited += 50) vi.advanceTimersByTime(50);
      return waited;
    };
    last().fire("close", { code: 1006 });
    expect(waitedMs()).toBeLessThanOrEqual(1_000);
    for (let at = 0; at < 10; at++) {
      last().fire("close", { code: 1006 });
      waitedMs();
    }
    last().fire("open");
    last().fire("close", { code: 1006 });
    expect(waitedMs()).toBe(10_000);
    last().fire("open");
    vi.advanceTimersByTime(5_000);
    last().fire("close", { code: 1006 });
    expect(waitedMs()).toBeLessThanOrEqual(1_000);
  });

  it("gives up an attempt that does not open within ten seconds, and hears nothing more of it", () => {
    const { attempts, heard } = setUp();
    vi.advanceTimersByTime(10_000);
    expect(heard).toEqual(["close 1006"]);
    vi.advanceTimersByTime(1_000);
    expect(attempts).toHaveLength(2);
    attempts[0]?.fire("open");
    expect(heard).toEqual(["close 1006"]);
  });

  it("gives a connection up for another at once, and hears nothing more of it", () => {
    const { socket, attempts, heard, last } = setUp();
    last().fire("open");
    socket.reconnect();
    vi.advanceTimersByTime(0);
    expect(attempts.map(({ readyState }) => readyState)).toEqual([3, 0]);
    attempts[0]?.fire("message", { data: "late" });
    last().fire("open");
    expect(heard).toEqual(["open", "close 1006", "open"]);
  });

  it("closes with a code, so that nothing waits for the server to close as well", () => {
    const { socket, last } = setUp();
    last().fire("open");
    socket.close();
    expect(last().closedWith).toBe(1000);
  });

  it("does nothing any more once it is closed, also from within a listener", () => {
    const { socket, attempts, heard, last } = setUp();
    socket.addEventListener("close", () => socket.close());
    last().fire("open");
    last().fire("close", { code: 4403 });
    vi.advanceTimersByTime(60_000);
    expect(attempts).toHaveLength(1);
    expect(heard).toEqual(["open", "close 4403"]);
  });
});

describe("reconnectDelayMs", () => {
  it.each([
    [1, 0, 500],
    [1, 1, 1_000],
    [2, 0, 750],
    [20, 0, 10_000],
  ])("is after %i losses, at chance %d, %i ms", (losses, chance, delay) => {
    expect(reconnectDelayMs(losses, chance)).toBe(delay);
  });
});
