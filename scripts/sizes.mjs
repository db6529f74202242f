/**
 * `npm run sizes`: what a browser loads, bundled, minified and gzipped: the page of the assistant, and the entry points
 * of the client. Exits with 1 when something is over its ceiling.
 */
import { join } from "node:path";
import { build } from "vite";
import { root } from "./ensure.mjs";
import { ceilings, gzippedBytes, isOver, pageSize, sizeLine } from "./page-size.mjs";

/** @param {import("vite").InlineConfig} config */
async function filesOf(config) {
  const built = await build({ ...config, logLevel: "error", build: { ...config.build, write: false } });
  const bundles = "output" in built || Array.isArray(built) ? [built].flat() : [];
  return bundles.flatMap(({ output }) => output);
}

/** An entry point with everything it needs, React left out. @param {string} entry */
async function entryBytes(entry) {
  const lib = { entry: join(root, entry), formats: [/** @type {const} */ ("es")] };
  const rolldownOptions = { external: /^react(-dom)?(\/|$)/, output: { minify: true } };
  return gzippedBytes(await filesOf({ configFile: false, build: { lib, rolldownOptions } }));
}

/** @type {import("./page-size.mjs").Size[]} */
const sizes = [
  pageSize(await filesOf({ configFile: join(root, "vite.config.ts") })),
  { name: "troupe/client", bytes: await entryBytes("src/client/index.ts"), ceiling: ceilings.client },
  { name: "troupe/client/ai-sdk", bytes: await entryBytes("src/client/ai-sdk/index.ts"), ceiling: null },
  { name: "troupe/react, React left out", bytes: await entryBytes("src/client/react/index.ts"), ceiling: null },
];
console.log(sizes.map(sizeLine).join("\n"));
process.exitCode = sizes.some(isOver) ? 1 : 0;
