/**
 * Every `ts` and `tsx` block of the documentation compiles, as a module of its own, against the package's entry points.
 *
 * Blocks that import from `troupe/client` or `troupe/react` are checked for a browser, all others for Workers, where
 * `Env` is the interface that `wrangler types` generates (here: env.d.ts). In a browser the published hooks of others
 * have the types of stock/peers.d.ts.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { files, read, root } from "../house/sources.ts";

interface Example {
  /** `README.md:12`, the line of the block's first line. */
  readonly place: string;
  readonly code: string;
  readonly extension: string;
  readonly isBrowser: boolean;
}

function examplesOf(path: string): Example[] {
  const text = read(path);
  return [...text.matchAll(/^```(tsx?)\b[^\n]*\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, extension = "ts", code = ""] = match;
    const line = text.slice(0, match.index).split("\n").length + 1;
    const isBrowser = extension === "tsx" || /from "troupe\/(client|react)"/.test(code);
    return { place: `${path}:${line}`, code, extension, isBrowser };
  });
}

const folder = mkdtempSync(join(root, "test/docs/.examples-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const workers = {
  lib: ["es2024", "esnext.disposable"],
  types: ["@cloudflare/workers-types"],
};
const browser = { lib: ["es2024", "esnext.disposable", "dom", "dom.iterable"], types: [] };

/** What our own code keeps and an example need not. */
const looser = { noImplicitOverride: false, noUnusedLocals: false, noUnusedParameters: false };

/** Compiles examples together and returns the compiler's complaints by place. */
async function complaints(name: string, examples: readonly Example[]): Promise<string[]> {
  if (examples.length === 0) return [];
  const target = join(folder, name);
  mkdirSync(target);
  const named = examples.map((example, index) => ({ ...example, file: `example-${index}.${example.extension}` }));
  // `export {}` makes a module of a block without imports; it stands behind, so that line numbers stay.
  for (const { file, code } of named) writeFileSync(join(target, file), `${code}\nexport {};\n`);
  const compilerOptions = { ...(name === "browser" ? browser : workers), ...looser };
  const include = ["*", name === "browser" ? "../../../e2e/stock/peers.d.ts" : "../../env.d.ts"];
  const config = { extends: join(root, "tsconfig.base.json"), compilerOptions, include };
  writeFileSync(join(target, "tsconfig.json"), JSON.stringify(config));
  const output = await compile(target);
  const places = (file: string) => named.find((example) => example.file === file)?.place ?? file;
  return output.split("\n").map((line) => line.replace(/^(?:.*\/)?(example-\d+\.tsx?)/, (_, file) => places(file)));
}

async function compile(target: string): Promise<string> {
  const args = ["-p", relative(root, target), "--pretty", "false"];
  const result = promisify(execFile)(join(root, "node_modules/.bin/tsc"), args, { cwd: root });
  const { stdout } = await result.catch((error: { stdout?: string; message: string }) => ({
    stdout: error.stdout || error.message,
  }));
  return stdout.trim();
}

describe("the documentation", () => {
  const examples = files("*.md", "docs/**/*.md").flatMap(examplesOf);

  it("has server examples that compile", async () => {
    const servers = examples.filter(({ isBrowser }) => !isBrowser);
    expect((await complaints("workers", servers)).filter(Boolean)).toEqual([]);
  });

  it("has no example with a button that would send the form around it unasked", () => {
    const untyped = /<button(?![^>]*\btype=)/;
    expect(examples.filter(({ code }) => untyped.test(code)).map(({ place }) => place)).toEqual([]);
  });

  it("has browser examples that compile", async () => {
    const browsers = examples.filter(({ isBrowser }) => isBrowser);
    expect((await complaints("browser", browsers)).filter(Boolean)).toEqual([]);
  });
});
