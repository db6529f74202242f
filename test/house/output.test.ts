/** What `npm test` prints: known noise is left out, and every failure has its name at the end. */
import { describe, expect, it } from "vitest";
import { clientTable } from "../../scripts/client-table.mjs";
import { noiseFilter, testNoise } from "../../scripts/quiet.mjs";
import { summarise } from "../../scripts/summary.mjs";

function kept(lines: readonly string[]): string[] {
  const isNoise = noiseFilter(testNoise);
  return lines.filter((line) => !isNoise(line));
}

describe("the output of a test run", () => {
  it("leaves out what the tests provoke, with its stack, and nothing around it", () => {
    const lines = [
      " ✓ a test",
      "uncaught exception; exception = actor-state.c++:1: failed: broken.outputGateBroken; jsg.Error: crash point",
      "stack: workerd@1 workerd@2",
      "exception = http.c++:1: disconnected: other end of WebSocketPipe was destroyed",
      "stack: workerd@3",
      'Sourcemap for "a.js" points to missing source files',
      "uncaught exception; source = Uncaught (in promise); stack = TypeError: x is not a function",
      "    at run (a.ts:1:1)",
    ];
    expect(kept(lines)).toEqual([lines[0], lines[6], lines[7]]);
  });

  it("leaves out the announcement of another name for the Workers pool", () => {
    const rule = "=".repeat(80);
    const banner = [rule, "WARNING: @cloudflare/vitest-pool-workers has been renamed to another.", rule];
    expect(kept(["before", ...banner, "after"])).toEqual(["before", "after"]);
  });
});

describe("the table of the stock clients", () => {
  it("marks what passed and what failed, and leaves empty what did not run", () => {
    const cells = [
      { client: "a", capability: "send", hasPassed: true },
      { client: "a", capability: "stop", hasPassed: false },
      { client: "b", capability: "send", hasPassed: true },
    ];
    expect(clientTable(cells).split("\n")).toEqual([
      "|  | a | b |",
      "|---|:-:|:-:|",
      "| send | ✓ | ✓ |",
      "| stop | ✗ |  |",
    ]);
  });
});

describe("the summary of a test run", () => {
  const report = { numPassedTests: 3, numPendingTests: 1, numTodoTests: 0 };
  const passed = { status: "passed", fullName: "a works" };

  it("names each failed test with the first line of its message, and each file that did not load", () => {
    const failed = {
      status: "failed",
      fullName: "b works",
      failureMessages: ["\u001B[31mError: no\u001B[39m\n    at x"],
    };
    const testResults = [
      { name: "/p/a.test.ts", status: "failed", message: "", assertionResults: [passed, failed] },
      { name: "/p/c.test.ts", status: "failed", message: "cannot load\nat y", assertionResults: [] },
    ];
    const { failures } = summarise({ ...report, testResults }, 1, "/p");
    expect(failures).toEqual(["a.test.ts > b works: Error: no", "c.test.ts: cannot load"]);
  });

  it("has no failures for a run that passed, and one for a run that failed without a failed test", () => {
    const testResults = [{ name: "/p/a.test.ts", status: "passed", assertionResults: [passed] }];
    expect(summarise({ ...report, testResults }, 0, "/p")).toEqual({ passed: 3, skipped: 1, failures: [] });
    expect(summarise({ ...report, testResults }, 1, "/p").failures).toHaveLength(1);
  });
});
