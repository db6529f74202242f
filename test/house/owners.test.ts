/** ARCHITECTURE.md names one owner for each rule, PROTOCOL.md one test for each invariant; both must be there. */
import { describe, expect, it } from "vitest";
import { exists, files, isTest, parse, read } from "./sources.ts";

/** Rows of the table "rule → file": `| rule | \`src/…\` | \`exportName\` |`. */
const owners = [
  ...read("ARCHITECTURE.md").matchAll(/^\|\s*(.+?)\s*\|\s*`((?:src|app)\/[^`]+)`\s*\|\s*`([^`]+)`\s*\|$/gm),
].map(([, rule = "", file = "", name = ""]) => ({ rule, file, name }));

/** Numbered items of the section "Invariants", each with the titles in its `Test:` line. */
const invariants = (read("PROTOCOL.md").split(/^## Invariants$/m)[1] ?? "")
  .split(/^## /m)[0]!
  .split(/^(?=\d+\. )/m)
  .filter((item) => /^\d+\. /.test(item))
  .map((item) => ({
    statement: item.split("\n")[0]!,
    tests: [...item.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => title),
  }));

const exportedBy = (file: string) =>
  parse(file).module.staticExports.flatMap(({ entries }) => entries.map(({ exportName }) => exportName.name));

/** The tables of every actor, from its migrations. */
const tables = files("src/actors/*/migrations.ts").flatMap((path) =>
  [...read(path).matchAll(/CREATE TABLE (?:IF NOT EXISTS )?(\w+)/g)].map(([, table = ""]) => ({
    table,
    actor: path.split("/")[2],
  })),
);

function speakersOf({ table, actor }: (typeof tables)[number]): { table: string; files: string[] } {
  const statement = new RegExp(`\\b(FROM|INTO|UPDATE|JOIN) ${table}\\b`);
  const speaks = (path: string) => !isTest(path) && !path.endsWith("/migrations.ts") && statement.test(read(path));
  return { table, files: files(`src/actors/${actor}/**/*.ts`).filter(speaks) };
}

describe("owners", () => {
  it("names for each rule a file that exports what it says", () => {
    const wrong = owners.filter(({ file, name }) => !exists(file) || !exportedBy(file).includes(name));
    expect(owners.length).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  });

  it("names for each invariant of the protocol a test that exists", () => {
    const tests = files("{src,app,test,bench}/**/*.test.{ts,tsx}").filter(isTest).map(read).join("\n");
    const isTitle = (title: string) => ['"', "'", "`"].some((quote) => tests.includes(`${quote}${title}${quote}`));
    const wrong = invariants.filter(({ tests: titles }) => titles.length === 0 || !titles.every(isTitle));
    expect(invariants.length).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  });

  it("lets one file of an actor speak to each of its tables", () => {
    expect(tables.length).toBeGreaterThan(0);
    expect(tables.map(speakersOf).filter(({ files: speakers }) => speakers.length > 1)).toEqual([]);
  });
});
