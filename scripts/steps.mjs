/** The checks that `npm run check` and `npm test` share, in the order fast to slow, and the way to run one. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { root, toolEnvironment } from "./ensure.mjs";

/**
 * A command that passes when it exits with 0.
 * @typedef {{ name: string, command: string, args: string[] }} Step
 */

/** @type {readonly Step[]} */
export const staticSteps = [
  { name: "format", command: "oxfmt", args: ["--check", "."] },
  { name: "lint", command: "oxlint", args: ["--deny-warnings"] },
  { name: "types of the Workers code", command: "tsc", args: ["-p", "tsconfig.json"] },
  { name: "types of the browser code", command: "tsc", args: ["-p", "tsconfig.web.json"] },
  { name: "types of the Node code", command: "tsc", args: ["-p", "tsconfig.node.json"] },
];

/**
 * Runs a step with its output on ours and returns its exit code. Ctrl-C reaches the whole process group, so this
 * process only waits for the step to end.
 * @param {Step} step
 * @param {Record<string, string>} [env]
 * @returns {Promise<number>}
 */
export function run({ name, command, args }, env = {}) {
  console.log(`\n▸ ${name}`);
  const child = spawn(command, args, {
    cwd: root,
    env: { ...toolEnvironment(), ...env },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

/**
 * Runs steps one after the other, all of them, and returns the names of those that failed.
 * @param {readonly Step[]} steps
 */
export async function runAll(steps) {
  const failed = [];
  for (const step of steps) if ((await run(step)) !== 0) failed.push(step.name);
  return failed;
}
