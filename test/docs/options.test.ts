/** docs/override-points.md names every option with its default, and every member; stated limits are those of the code. */
import { describe, expect, it } from "vitest";
import { files, parse, read } from "../house/sources.ts";

const shell = "src/actors/conversation/conversation.ts";
const page = read("docs/override-points.md");

interface Member {
  readonly type: string;
  readonly static?: boolean;
  readonly key: { readonly type: string; readonly name: string };
}

/** The public members of `Conversation`, the constructor left out. */
function publicMembers(): Member[] {
  const classes = parse(shell).program.body.flatMap((node) =>
    node.type === "ExportNamedDeclaration" && node.declaration?.type === "ClassDeclaration" ? [node.declaration] : [],
  );
  const members = classes.flatMap(({ body }) => body.body as unknown as Member[]);
  return members.filter(({ key }) => key.type === "Identifier" && key.name !== "constructor");
}

/** The text of an initial value: of a constant (`const NAME: T = …;`) or of a field (`name: T = …;`). */
function initialValue(path: string, name: string): string | undefined {
  const declared = new RegExp(`\\b${name}(?:: [^=;]+)? = ([^;]+);`).exec(read(path))?.[1];
  const isName = declared !== undefined && /^[A-Z][A-Z_]+$/.test(declared);
  return isName ? constantAnywhere(declared) : declared;
}

function constantAnywhere(name: string): string | undefined {
  const owner = files("src/**/*.ts").find((path) => new RegExp(`export const ${name}\\b`).test(read(path)));
  return owner === undefined ? undefined : initialValue(owner, name);
}

const product = (text: string) => String(text.split("*").reduce((all, factor) => all * Number(factor), 1));

/** `64 * 1024` → 65536, also inside of an object; `1_000` → 1000; spaces do not count. */
function plain(value = "missing"): string {
  return value
    .replaceAll("_", "")
    .replaceAll(/\d+(?: \* \d+)+/g, product)
    .replaceAll(/\s/g, "");
}

/** `16 MiB`, `1.5 MB`, `250 ms`, `1 hour`, `128 levels` as a number of the smallest unit. */
function amount(cell: string): number {
  const [, number = "", unit = ""] = /^([\d. ]*\d) ?([A-Za-z]*)/.exec(cell) ?? [];
  const factors: Record<string, number> = { KiB: 1024, MiB: 1024 ** 2, MB: 1e6, kB: 1e3, s: 1e3, min: 6e4, hour: 36e5 };
  return Math.round(Number(number.replaceAll(" ", "")) * (factors[unit] ?? 1));
}

describe("docs/override-points.md", () => {
  const members = publicMembers();
  const options = members.filter((member) => member.type === "PropertyDefinition" && member.static !== true);

  it("names every option with its default, and only those", () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| `([^`]+)` \|/gm)].map(
      ([, name, value]) => `${name} = ${plain(value)}`,
    );
    const fields = options.map(({ key }) => `${key.name} = ${plain(initialValue(shell, key.name))}`);
    expect(fields.length).toBeGreaterThan(5);
    expect(rows.toSorted()).toEqual(fields.toSorted());
  });

  it("names every other member", () => {
    const names = members.map(({ key }) => key.name);
    expect(names.filter((name) => !new RegExp(`\`${name}\\b`).test(page))).toEqual([]);
  });
});

describe("README.md", () => {
  it("states limits as the code has them", () => {
    const rows = [...read("README.md").matchAll(/^\|[^|]+\| ([^|]+) \|.*\[`(\w+)`\]\((\S+)\) \|$/gm)];
    const wrong = rows.filter(
      ([, cell = "", name = "", path = ""]) => amount(cell) !== Number(plain(initialValue(path, name))),
    );
    expect(rows.length).toBeGreaterThan(5);
    expect(wrong.map(([row]) => row)).toEqual([]);
  });
});
