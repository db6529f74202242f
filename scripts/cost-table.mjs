/**
 * A reporter for vitest: at the end of a run, one table of the numbers that the benches have noted in their ledgers.
 * Prints nothing when there are none. With `COST_TABLE_FILE` in the environment they are also written there, as JSON.
 */
import { writeFileSync } from "node:fs";

/** @typedef {import("../bench/ledger.ts").LedgerRow} LedgerRow */
/** @typedef {import("vitest/node").TestModule} TestModule */

const numbers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });

/** @param {number | null} value */
const cell = (value) => (value === null ? "" : numbers.format(value));

/** @param {number} column */
const isNumber = (column) => column >= 2 && column <= 4;

/**
 * The table as text: the kind of work stands in the first of its rows, numbers are aligned right, and a row over its
 * ceiling is marked.
 * @param {readonly LedgerRow[]} rows
 */
export function costTable(rows) {
  const head = ["work", "counted", "measured", "at most", "promised", ""];
  const body = rows.map((row, at) => [
    row.work === rows[at - 1]?.work ? "" : row.work,
    row.counted,
    cell(row.measured),
    cell(row.ceiling),
    cell(row.promised),
    row.ceiling !== null && row.measured > row.ceiling ? "← over" : "",
  ]);
  const table = [head, ...body];
  const widths = head.map((_, column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)));
  const pad = (/** @type {string} */ text, /** @type {number} */ column) =>
    isNumber(column) ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0);
  return table.map((cells) => cells.map(pad).join("  ").trimEnd()).join("\n");
}

export default class CostTable {
  /** @param {readonly TestModule[]} modules */
  onTestRunEnd(modules) {
    const inOrder = modules.toSorted((a, b) => a.moduleId.localeCompare(b.moduleId));
    const rows = inOrder.flatMap((module) =>
      [...module.children.allTests()].flatMap((test) => test.meta().ledger ?? []),
    );
    if (rows.length === 0) return;
    console.log(`\n${costTable(rows)}\n`);
    const file = process.env["COST_TABLE_FILE"];
    if (file) writeFileSync(file, JSON.stringify(rows));
  }
}
