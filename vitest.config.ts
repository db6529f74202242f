import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

/** Runs in Node: what stands on Node or a browser, and the rules of the house. */
const nodeTests = [
  "src/client/**/*.test.{ts,tsx}",
  "app/**/*.test.{ts,tsx}",
  "test/{house,e2e,docs,providers}/**/*.test.ts",
];

export default defineConfig({
  test: {
    // One project after the other (`groupOrder`): together they would starve each other on a small machine.
    projects: [
      {
        plugins: [cloudflareTest({ wrangler: { configPath: "./test/harness/wrangler.jsonc" } })],
        test: {
          name: "workerd",
          include: ["{src,test,bench}/**/*.test.ts"],
          exclude: [...nodeTests, "**/node_modules/**"],
          setupFiles: ["./test/harness/warm-up.ts"],
          provide: { fuzzSeed: process.env["FUZZ_SEED"] ?? "", fuzzSteps: process.env["FUZZ_STEPS"] ?? "" },
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 0 },
          // Each test makes its own objects, so files may share one isolate; isolated files take a minute longer.
          isolate: false,
        },
      },
      {
        test: {
          name: "node",
          include: nodeTests,
          environment: "node",
          testTimeout: 120_000,
          hookTimeout: 180_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
