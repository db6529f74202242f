import { describe, expect, it } from "vitest";
import { Followers } from "./followers.ts";
import type { StreamReader } from "./live-stream.ts";

const reader = (): StreamReader => ({ chunk: () => undefined, ended: () => undefined });

describe("Followers", () => {
  it("hands the readers of a turn over once, in the order they came", () => {
    const followers = new Followers();
    const [a, b, other] = [reader(), reader(), reader()];
    followers.add("r1", a);
    followers.add("r2", other);
    followers.add("r1", b);
    followers.add("r1", a);
    expect(followers.take("r1")).toEqual([a, b]);
    expect(followers.take("r1")).toEqual([]);
    expect(followers.take("r2")).toEqual([other]);
  });

  it("forgets a reader that left, and ignores one it does not know", () => {
    const followers = new Followers();
    const [a, b] = [reader(), reader()];
    followers.add("r1", a);
    followers.remove("r1", b);
    followers.remove("nobody", a);
    followers.remove("r1", a);
    expect(followers.take("r1")).toEqual([]);
  });
});
