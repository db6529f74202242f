/**
 * `npm run bench`: what everything costs, in two parts, printed as tables and written to bench/RESULTS.md.
 *
 *   --counts          only what turns, reconnects and idle conversations cost: exact, each held to its ceiling
 *   --side-by-side    only Troupe beside two floors and the published peers: times and memory, as ratios
 *   --rounds n        rounds of the side-by-side part; default 3
 *
 * The results are written when both parts have run. Other arguments go to vitest, for the counts.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { resultsPage } from "./bench-results.mjs";
import { ensureInstalled, ensurePeers, root } from "./ensure.mjs";
import { run } from "./steps.mjs";

const { values, positionals } = parseArgs({
  options: { counts: { type: "boolean" }, "side-by-side": { type: "boolean" }, rounds: { type: "string" } },
  allowPositionals: true,
});
const isWhole = values.counts === values["side-by-side"];
const folder = mkdtempSync(join(tmpdir(), "troupe-bench-"));
const countsFile = join(folder, "counts.json");
const sidesFile = join(folder, "side-by-side.json");

function count() {
  const reporters = ["--reporter=default", "--reporter=./scripts/cost-table.mjs"];
  const args = ["run", "--project=workerd", ...reporters, "bench/", ...positionals];
  return run({ name: "counts", command: "vitest", args }, { COST_TABLE_FILE: countsFile });
}

function compare() {
  const rounds = values.rounds === undefined ? [] : ["--rounds", values.rounds];
  const args = ["bench/side-by-side/run.ts", "--out", sidesFile, ...rounds];
  return run({ name: "side by side", command: "node", args });
}

/** @param {string} file */
const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));

try {
  ensureInstalled();
  ensurePeers();
  const exitCodes = [];
  if (isWhole || values.counts) exitCodes.push(await count());
  if (isWhole || values["side-by-side"]) exitCodes.push(await compare());
  process.exitCode = Math.max(...exitCodes);
  if (isWhole && process.exitCode === 0) {
    writeFileSync(join(root, "bench/RESULTS.md"), resultsPage(readJson(countsFile), readJson(sidesFile)));
    console.log("Written to bench/RESULTS.md");
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
