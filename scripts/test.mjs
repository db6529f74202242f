/**
 * `npm test`: everything, in the order fast to slow. Arguments after `--` go to vitest.
 *
 * Always runs to the end and prints `N passed, N failed` (and `, N skipped`) as its last line: the tests of the run,
 * plus one failure for each check before them that failed.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureChromium, ensureInstalled } from "./ensure.mjs";
import { run, runAll, staticSteps } from "./steps.mjs";

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/**
 * Counts a report of vitest's json reporter. A file that did not load has no tests of its own and counts as one
 * failure; so does a run that failed for a reason no test shows, such as an unhandled rejection.
 * @param {string} file
 * @param {number} exitCode
 * @returns {Counts}
 */
function count(file, exitCode) {
  const report = JSON.parse(readFileSync(file, "utf8"));
  const unloaded = report.testResults.filter(
    (/** @type {{ status: string, assertionResults: unknown[] }} */ result) =>
      result.status === "failed" && result.assertionResults.length === 0,
  ).length;
  const failed = report.numFailedTests + unloaded;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * @param {string[]} args
 * @returns {Promise<Counts>}
 */
async function runTests(args) {
  const chromium = ensureChromium();
  const folder = mkdtempSync(join(tmpdir(), "troupe-test-"));
  const report = join(folder, "report.json");
  const toConsole = ["--reporter=default", "--reporter=./scripts/cost-table.mjs"];
  const reporters = [...toConsole, "--reporter=json", `--outputFile.json=${report}`];
  try {
    const step = { name: "tests", command: "vitest", args: ["run", ...reporters, ...args] };
    const exitCode = await run(step, chromium === undefined ? {} : { CHROMIUM_PATH: chromium });
    return count(report, exitCode);
  } catch (error) {
    console.error("The test run left no report:", error);
    return { passed: 0, failed: 1, skipped: 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

ensureInstalled();
const failedSteps = await runAll(staticSteps);
const counts = await runTests(process.argv.slice(2));
if (failedSteps.length > 0) console.log(`\nFailed before the tests: ${failedSteps.join(", ")}`);
const failed = counts.failed + failedSteps.length;
const skipped = counts.skipped === 0 ? "" : `, ${counts.skipped} skipped`;
process.exitCode = failed === 0 ? 0 : 1;
console.log(`\n${counts.passed} passed, ${failed} failed${skipped}`);
