/** The checks that `npm run check` and `npm test` share, in the order fast to slow, and the way to run one. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { root, toolEnvironment } from "./ensure.mjs";
import { passOn } from "./quiet.mjs";

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
 * process only waits for the step to end. With `noise` those lines are left out of the output.
 * @param {Step} step
 * @param {Record<string, string>} [env]
 * @param {readonly import("./quiet.mjs").Noise[]} [noise]
 * @returns {Promise<number>}
 */
export async function run({ name, command, args }, env = {}, noise = []) {
  console.log(`\n▸ ${name}`);
  const isFiltered = noise.length > 0;
  const output = isFiltered ? "pipe" : "inherit";
  const child = spawn(command, args, {
    cwd: root,
    env: { ...toolEnvironment(), ...(isFiltered ? colours() : {}), ...env },
    stdio: ["ignore", output, output],
  });
  const passed = [
    child.stdout && passOn(child.stdout, process.stdout, noise),
    child.stderr && passOn(child.stderr, process.stderr, noise),
  ];
  /** @type {Promise<number>} */
  const ended = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
  const [exitCode] = await Promise.all([ended, ...passed]);
  return exitCode;
}

/** A tool behind a pipe shows no colours by itself; it may if we stand at a terminal. */
function colours() {
  return process.stdout.isTTY && !process.env["NO_COLOR"] ? { FORCE_COLOR: "1" } : {};
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
