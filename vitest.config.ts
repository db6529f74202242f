import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

/** Runs in Node: what stands on Node or a browser, and the rules of the house. */
const nodeTests = [
  "src/client/**/*.test.{ts,tsx}",
  "app/**/*.test.{ts,tsx}",
  "test/{house,e2e,docs,providers}/**/*.test.ts",
  "bench/side-by-side/*.test.ts",
];

/** Make hundreds of objects and lose them again, which slows a runtime down: each has one of its own. */
const enduranceTests = ["test/scenarios/crash-everywhere.test.ts", "test/fuzz/conversation-walk.test.ts"];

/** A project whose tests run in the real Workers runtime. */
function inWorkerd(name: string, groupOrder: number, include: string[], exclude: string[]) {
  return {
    plugins: [cloudflareTest({ wrangler: { configPath: "./test/harness/wrangler.jsonc" } })],
    test: {
      name,
      include,
      exclude: [...exclude, "**/node_modules/**"],
      setupFiles: ["./test/harness/warm-up.ts"],
      provide: { fuzzSeed: process.env["FUZZ_SEED"] ?? "", fuzzSteps: process.env["FUZZ_STEPS"] ?? "" },
      testTimeout: 120_000,
      hookTimeout: 120_000,
      sequence: { groupOrder },
      // Each test makes its own objects, so files may share one isolate; isolated files take a minute longer.
      isolate: false,
    },
  };
}

export default defineConfig({
  test: {
    // One group of projects after the other (`groupOrder`): together they would starve each other on a small machine.
    projects: [
      inWorkerd("workerd", 0, ["{src,test,bench}/**/*.test.ts"], [...nodeTests, ...enduranceTests]),
      ...enduranceTests.map((file) => inWorkerd(file.split("/").at(-1)?.split(".")[0] ?? file, 1, [file], [])),
      {
        test: {
          name: "node",
          include: nodeTests,
          environment: "node",
          testTimeout: 120_000,
          hookTimeout: 180_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
