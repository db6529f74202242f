/** `npm run check`: the inner loop. Format, lint, types and unit tests; no browser, no child processes, no fuzz. */
import { ensureInstalled } from "./ensure.mjs";
import { runAll, staticSteps } from "./steps.mjs";

ensureInstalled();
const unitTests = {
  name: "unit tests",
  command: "vitest",
  args: ["run", "--reporter=dot", "src/", "app/", "test/house/"],
};
const failed = await runAll([...staticSteps, unitTests]);
console.log(failed.length === 0 ? "\nAll checks pass." : `\nFailed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
