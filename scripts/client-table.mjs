/**
 * A reporter for vitest: at the end of a run, one table of what the stock clients can do here. Prints nothing when
 * their tests did not run.
 */

/** @typedef {import("../test/e2e/stock-clients/cell.ts").ClientCell} ClientCell */
/** @typedef {import("vitest/node").TestModule} TestModule */

/** @param {readonly string[]} cells */
const row = (cells) => `| ${cells.join(" | ")} |`;

/**
 * The table in Markdown, as it stands in the README: a row for each capability, a column for each client, ✓ or ✗ for
 * what ran and nothing for what did not.
 * @param {readonly (ClientCell & { hasPassed: boolean })[]} cells
 */
export function clientTable(cells) {
  const clients = [...new Set(cells.map(({ client }) => client))];
  const capabilities = [...new Set(cells.map(({ capability }) => capability))];
  const mark = (/** @type {string} */ client, /** @type {string} */ capability) => {
    const cell = cells.find((each) => each.client === client && each.capability === capability);
    return cell === undefined ? "" : cell.hasPassed ? "✓" : "✗";
  };
  return [
    row(["", ...clients]),
    `|---|${clients.map(() => ":-:|").join("")}`,
    ...capabilities.map((capability) => row([capability, ...clients.map((client) => mark(client, capability))])),
  ].join("\n");
}

export default class ClientTable {
  /** @param {readonly TestModule[]} modules */
  onTestRunEnd(modules) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const cells = tests.flatMap((test) => {
      const cell = test.meta().clientCell;
      return cell === undefined ? [] : [{ ...cell, hasPassed: test.ok() }];
    });
    if (cells.length > 0) console.log(`\n${clientTable(cells)}\n`);
  }
}
