/** The page bench/RESULTS.md, made of the two parts of a run. */
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { root } from "./ensure.mjs";

/** @typedef {import("../bench/ledger.ts").LedgerRow} LedgerRow */
/** @typedef {{ rounds: number, table: string, missed: readonly string[] }} Comparison */

const numbers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });

/**
 * @param {readonly LedgerRow[]} counts
 * @param {Comparison} comparison
 */
export function resultsPage(counts, comparison) {
  return `# Results

Written by \`npm run bench\`; [docs/costs.md](../docs/costs.md) says what is measured and how.

${new Date().toISOString().slice(0, 10)}, ${machine()}, Node ${process.versions.node}, ${versions().join(", ")}.

## Side by side

Medians of ${comparison.rounds} rounds in which all subjects take turns. The floor's column says what it took; the others are
ratios to it, so smaller is better and 1 is the floor. Other programs ran on the same machine: ratios hold, times do not.

${comparison.table}

${comparison.missed.length === 0 ? "Every target is met." : `Targets that Troupe missed: ${comparison.missed.join("; ")}. It met the others.`}

## Counts

Exact on any machine. \`npm test\` fails when a number is over its ceiling.

${countTable(counts)}
`;
}

const cell = (/** @type {number | null} */ value) => (value === null ? "" : numbers.format(value));

/** @param {readonly LedgerRow[]} rows */
function countTable(rows) {
  const body = rows.map((row, at) => {
    const work = row.work === rows[at - 1]?.work ? "" : row.work;
    return `| ${work} | ${row.counted} | ${cell(row.measured)} | ${cell(row.ceiling)} | ${cell(row.promised)} |`;
  });
  return ["| work | counted | measured | at most | promised |", "| - | - | -: | -: | -: |", ...body].join("\n");
}

/** What kind of machine, and no more: the name of the processor without its clock. */
function machine() {
  const model = cpus()[0]?.model.replace(/\s*(@.*|\d+-Core.*)$/, "");
  return `${cpus().length} shared cores (${model || "unnamed"})`;
}

const versionAt = (/** @type {string} */ path) =>
  JSON.parse(readFileSync(join(root, path, "package.json"), "utf8")).version;

function versions() {
  const ours = ["workerd", "agents", "ai"].map((name) => `${name} ${versionAt(`node_modules/${name}`)}`);
  const peers = ["@cloudflare/think", "@cloudflare/ai-chat"];
  return [...ours, ...peers.map((name) => `${name} ${versionAt(`bench/peers/node_modules/${name}`)}`)];
}
