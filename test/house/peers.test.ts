/** The published packages that we compare with stay beside the product, and share one copy of what both use. */
import { describe, expect, it } from "vitest";
import peers from "../../bench/peers/package.json" with { type: "json" };
import manifest from "../../package.json" with { type: "json" };
import { read } from "./sources.ts";

const peerNames = Object.keys(peers.dependencies);
const lock = JSON.parse(read("bench/peers/package-lock.json")) as { packages: Record<string, { resolved?: string }> };

describe("the peers", () => {
  it("are no dependency of the product", () => {
    const ours = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(ours.filter((name) => peerNames.includes(name))).toEqual([]);
  });

  it("have exact versions, and a lock file that names no place to get them from", () => {
    expect(Object.values(peers.dependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    expect(Object.values(lock.packages).flatMap(({ resolved = [] }) => resolved)).toEqual([]);
  });

  it("bring no second copy of the packages whose state or types both sides share", () => {
    const shared = new Set(["agents", "ai", "@ai-sdk/react", "react", "react-dom", "partysocket", "zod"]);
    const installed = Object.keys(lock.packages).map((path) => path.split("node_modules/").at(-1) ?? "");
    expect(installed.filter((name) => shared.has(name))).toEqual([]);
  });
});
