/** The project's files as the house rules see them: paths from the root, texts, and parsed modules. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Paths from the root that match one of the glob patterns, sorted. Nothing generated, nothing installed. */
export function files(...patterns: string[]): string[] {
  const generated = /(^|\/)(node_modules|dist|\.wrangler|\.git|\.examples[^/]*|artifacts)(\/|$)/;
  const exclude = (path: string) => generated.test(path);
  return globSync(patterns, { cwd: root, exclude })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !exclude(path))
    .toSorted();
}

export const isTest = (path: string) => /\.test\.tsx?$/.test(path);

/** Source files of `src`, tests left out. */
export const sourceFiles = () => files("src/**/*.{ts,tsx}").filter((path) => !isTest(path));

export const exists = (path: string) => existsSync(join(root, path));
export const read = (path: string) => readFileSync(join(root, path), "utf8");
export const lineCount = (text: string) => text.replace(/\n$/, "").split("\n").length;

export type Parsed = ReturnType<typeof parseSync>;

export function parse(path: string): Parsed {
  const parsed = parseSync(path, read(path));
  if (parsed.errors.length > 0) throw new Error(`${path} does not parse: ${parsed.errors[0]?.message}`);
  return parsed;
}

export interface ImportEdge {
  readonly from: string;
  /** As written: `./x.ts` or a package name. */
  readonly specifier: string;
  /** The path from the root when it is a file of ours. */
  readonly to: string | null;
  /** Only types cross. */
  readonly isTypeOnly: boolean;
}

const isTypes = (entries: readonly { isType: boolean }[]) => entries.length > 0 && entries.every((e) => e.isType);

/** Everything a file imports, re-exports or imports dynamically. */
export function importsOf(path: string): ImportEdge[] {
  const { module } = parse(path);
  const edge = (specifier: string, isTypeOnly: boolean): ImportEdge => ({
    from: path,
    specifier,
    to: specifier.startsWith(".") ? join(dirname(path), specifier) : null,
    isTypeOnly,
  });
  const imports = module.staticImports.map((one) => edge(one.moduleRequest.value, isTypes(one.entries)));
  const reexports = module.staticExports.flatMap((one) => {
    const request = one.entries.find((entry) => entry.moduleRequest)?.moduleRequest;
    return request ? [edge(request.value, isTypes(one.entries))] : [];
  });
  const text = read(path);
  const dynamic = module.dynamicImports.map(({ moduleRequest }) =>
    edge(text.slice(moduleRequest.start + 1, moduleRequest.end - 1), false),
  );
  return [...imports, ...reexports, ...dynamic];
}
