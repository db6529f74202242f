/** The table of a run, in Markdown: Troupe and its peers as ratios, the floors as what they took. */
import type { Medians } from "./rounds.ts";
import { FLAT, type Target, targets } from "./targets.ts";

export interface Column {
  readonly key: string;
  readonly title: string;
}

/** Rows that are easy to read as text, too: one line each, in columns. */
export function ratioTable(medians: Medians, columns: readonly Column[]): string {
  const head = ["work", "counted", "floor", ...columns.map(({ title }) => title), "target", ""];
  const rows = targets.map((target) => rowOf(target, medians, columns));
  return markdown([head, ...rows, flatRow(medians, columns)]);
}

/** The work whose target Troupe missed. */
export function missed(medians: Medians): string[] {
  const rows = [...targets.map((target) => rowOf(target, medians, [])), flatRow(medians, [])];
  return rows.flatMap((row) => (row.at(-1) === "missed" ? [`${row[0]} (${row[1]})`] : []));
}

function rowOf(target: Target, medians: Medians, columns: readonly Column[]): string[] {
  const { work, counted, value, floor, atMost } = target;
  const base = medians.get(floor)?.[value];
  const ratios = columns.map(({ key }) => ratio(medians.get(key)?.[value], base));
  const ours = ratio(medians.get("troupe")?.[value], base);
  const shown = base === undefined ? "" : `${amount(base, value)} (${floor.replace("floor-", "floor ")})`;
  return [work, counted, shown, ...ratios.map(times), limit(atMost), verdict(ours, atMost)];
}

function flatRow(medians: Medians, columns: readonly Column[]): string[] {
  const ratioOf = (key: string) => ratio(medians.get(key)?.[FLAT.long], medians.get(key)?.[FLAT.short]);
  const ratios = columns.map(({ key }) => times(ratioOf(key)));
  const work = "5,000 messages against 1,000";
  return [
    work,
    "time",
    times(ratioOf("floor-2")),
    ...ratios,
    limit(FLAT.atMost),
    verdict(ratioOf("troupe"), FLAT.atMost),
  ];
}

function ratio(value: number | undefined, base: number | undefined): number | null {
  return value === undefined || base === undefined || base <= 0 ? null : value / base;
}

const times = (value: number | null): string => (value === null ? "" : `× ${value.toFixed(2)}`);
const limit = (atMost: number | null): string => (atMost === null ? "" : `≤ ${atMost}`);

function verdict(value: number | null, atMost: number | null): string {
  if (value === null || atMost === null) return "";
  return value <= atMost ? "met" : "missed";
}

function amount(value: number, name: string): string {
  return name.endsWith("Bytes") ? `${(value / 1e6).toFixed(0)} MB` : `${value.toFixed(value < 10 ? 1 : 0)} ms`;
}

/** A table whose columns are as wide as their widest cell, so that it can be read unrendered. */
export function markdown(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}
