/**
 * Takes known noise of the tools out of their output, line by line: lines that a rule names, and the lines right behind
 * one that belong to it. Everything else passes unchanged and at once.
 */
import { stripVTControlCharacters } from "node:util";

/**
 * `starts` names a line that is dropped, without its colours; `follows` the lines behind it that go with it.
 * @typedef {{ starts: RegExp, follows?: RegExp }} Noise
 */

/** @type {readonly Noise[]} What the tests provoke on purpose, and what nobody here can change. */
export const testNoise = [
  { starts: /^uncaught exception; exception = .*(outputGateBroken|jsg\.Error: crash point)/, follows: /^stack: / },
  { starts: /^(uncaught exception; )?exception = .*other end of WebSocketPipe was destroyed/, follows: /^stack: / },
  { starts: /^Sourcemap for ".*" points to missing source files$/ },
  { starts: /^JSON report written to / },
  // The announcement of a new package name, between two rules of equal signs.
  {
    starts: /^={60,}$/,
    follows: /^(WARNING: @cloudflare\/vitest-pool-workers|This package will not|Run `npx |={60,}$)/,
  },
];

/**
 * Whether a line is noise, for the lines of one stream in their order.
 * @param {readonly Noise[]} rules
 * @returns {(line: string) => boolean}
 */
export function noiseFilter(rules) {
  /** @type {Noise | undefined} */
  let open;
  return (line) => {
    const plain = stripVTControlCharacters(line);
    if (open?.follows?.test(plain)) return true;
    open = rules.find(({ starts }) => starts.test(plain));
    return open !== undefined;
  };
}

/**
 * Passes what comes from `input` on to `output`, noise left out. Resolves when `input` has ended.
 * @param {import("node:stream").Readable} input
 * @param {import("node:stream").Writable} output
 * @param {readonly Noise[]} rules
 */
export async function passOn(input, output, rules) {
  const isNoise = noiseFilter(rules);
  let rest = "";
  for await (const piece of input.setEncoding("utf8")) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    const kept = lines.filter((line) => !isNoise(line.replace(/\r$/, "")));
    if (kept.length > 0) output.write(`${kept.join("\n")}\n`);
  }
  if (rest !== "" && !isNoise(rest)) output.write(rest);
}
