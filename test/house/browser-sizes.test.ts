/** What a browser loads stays small: `scripts/sizes.mjs` bundles it, minified and gzipped, and knows the ceilings. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ceilings } from "../../scripts/page-size.mjs";
import { root } from "./sources.ts";

it("lets a browser load 350 kB for the page and 12 kB for the client at most", () => {
  const env = { ...process.env, NODE_ENV: "production" };
  const run = spawnSync("node", [join(root, "scripts/sizes.mjs")], { cwd: root, env, encoding: "utf8" });
  console.log(run.stdout);
  expect(run.stderr).toBe("");
  expect(run.status, run.stdout).toBe(0);
  expect(run.stdout.match(/\d+\.\d kB/g)).toHaveLength(6);
  expect(ceilings).toEqual({ page: 350_000, client: 12_000 });
});
