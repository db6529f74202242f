/**
 * `npm run bench`: counts what turns, reconnects and idle conversations cost, checks each number against its ceiling,
 * and prints them in one table. Arguments after `--` go to vitest.
 */
import { ensureInstalled, ensurePeers } from "./ensure.mjs";
import { run } from "./steps.mjs";

ensureInstalled();
ensurePeers();
const reporters = ["--reporter=default", "--reporter=./scripts/cost-table.mjs"];
const args = ["run", "--project=workerd", ...reporters, "bench/", ...process.argv.slice(2)];
process.exitCode = await run({ name: "bench", command: "vitest", args });
