/** The page of docs/getting-started.md, in a project of its own that has the package as `npm i ../troupe` leaves it. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";
import { afterAll, expect, it } from "vitest";
import { read, root } from "../house/sources.ts";

const folder = mkdtempSync(join(tmpdir(), "own-project-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The one block in the language that holds the text. */
function block(language: string, holds: string): string {
  const blocks = [...read("docs/getting-started.md").matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  const found = blocks.filter(([, name, code]) => name === language && code?.includes(holds));
  expect(found, `${language} blocks with ${holds}`).toHaveLength(1);
  return found[0]?.[2] ?? "";
}

/** A link to the package, and copies of React, of which the package has its own. */
function install(): void {
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/troupe"));
  for (const name of ["react", "react-dom", "scheduler"]) {
    cpSync(join(root, "node_modules", name), join(folder, "node_modules", name), {
      recursive: true,
      dereference: true,
    });
  }
}

it("the page of a project of one's own is built with one React", { timeout: 60_000 }, async () => {
  install();
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "index.html"), block("html", 'id="root"'));
  writeFileSync(join(folder, "src/page.tsx"), block("tsx", "createRoot"));
  writeFileSync(join(folder, "vite.config.mjs"), block("js", "dedupe"));
  const built = await build({ root: folder, configFile: join(folder, "vite.config.mjs"), logLevel: "error" });
  const output = "output" in built ? built.output : [];
  const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  const reacts = modules.filter((id) => /\/react\/cjs\/react\.\w+\.js$/.test(id));
  expect(reacts).toHaveLength(1);
  expect(modules.some((id) => id.endsWith("/use-conversation.ts"))).toBe(true);
});
