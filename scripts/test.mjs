/**
 * `npm test`: everything, in the order fast to slow. Arguments after `--` go to vitest.
 *
 * Always runs to the end and prints `N passed, N failed` (and `, N skipped`) as its last line: the tests of the run,
 * plus one failure for each check before them that failed. The names of what failed stand right above it.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureChromium, ensureCurl, ensureInstalled, ensurePeers, root } from "./ensure.mjs";
import { summarise } from "./summary.mjs";
import { testNoise } from "./quiet.mjs";
import { run, runAll, staticSteps } from "./steps.mjs";

/** @typedef {import("./summary.mjs").Summary} Summary */

/**
 * @param {string[]} args
 * @returns {Promise<Summary>}
 */
async function runTests(args) {
  const chromium = ensureChromium();
  ensureCurl();
  const folder = mkdtempSync(join(tmpdir(), "troupe-test-"));
  const report = join(folder, "report.json");
  const tables = ["--reporter=./scripts/cost-table.mjs", "--reporter=./scripts/client-table.mjs"];
  const toConsole = ["--reporter=default", ...tables];
  const reporters = [...toConsole, "--reporter=json", `--outputFile.json=${report}`];
  try {
    const step = { name: "tests", command: "vitest", args: ["run", ...reporters, ...args] };
    const exitCode = await run(step, chromium === undefined ? {} : { CHROMIUM_PATH: chromium }, testNoise);
    return summarise(JSON.parse(readFileSync(report, "utf8")), exitCode, root);
  } catch (error) {
    console.error("The test run left no report:", error);
    return { passed: 0, skipped: 0, failures: ["the test run left no report"] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What could not be installed for some tests only; the others run all the same. */
function installPeers() {
  try {
    ensurePeers();
    return [];
  } catch (error) {
    console.error(error);
    return ["installing the published packages in bench/peers"];
  }
}

ensureInstalled();
const notInstalled = installPeers();
const failedSteps = [...notInstalled, ...(await runAll(staticSteps))];
const { passed, skipped, failures } = await runTests(process.argv.slice(2));
const all = [...failedSteps, ...failures];
process.exitCode = all.length === 0 ? 0 : 1;
if (all.length > 0) console.log(`\nFailed:\n${all.map((failure) => `  ${failure}`).join("\n")}`);
console.log(`\n${passed} passed, ${all.length} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`);
