/** PROTOCOL.md says of every frame, field and code what the schemas say, and nothing that they do not. */
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { ERROR_CODES } from "../../src/shared/errors.ts";
import { SERVER_FRAMES } from "../../src/shared/server-frames.ts";
import {
  CAPABILITIES,
  CAPABILITY_PARAM,
  CHAT_MESSAGE_TYPES,
  chatBodySchema,
  clientFrameSchema,
  clientToolSchema,
  userMessageSchema,
} from "../../src/shared/wire.ts";
import { files, read } from "../house/sources.ts";

const page = read("PROTOCOL.md");

/** The text below a heading, up to the next heading of its level or above. */
function section(text: string, heading: string): string {
  const level = /^#+/.exec(heading)?.[0].length ?? 0;
  const lines = text.split("\n");
  const start = lines.indexOf(heading);
  if (start === -1) return "";
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => (/^(#+) /.exec(line)?.[1]?.length ?? Number.POSITIVE_INFINITY) <= level);
  return rest.slice(0, end === -1 ? undefined : end).join("\n");
}

/** The first cells of a section's table rows that are code, with the cell behind. */
function rows(text: string): string[][] {
  return [...text.matchAll(/^\| `([^`]+)` +\| ([^|]*?) +\|/gm)].map(([, name = "", second = ""]) => [name, second]);
}

/** What the rows of a field table should be: every field but `type`, and fields of objects below them. */
function fieldsOf(schema: z.ZodObject, prefix = ""): string[][] {
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>).filter(([name]) => name !== "type");
  const own = fields.map(([name, field]) => [`${prefix}${name}`, field.isOptional() ? "optional" : "required"]);
  const below = fields.flatMap(([name, field]) =>
    "shape" in field ? fieldsOf(field as z.ZodObject, `${prefix}${name}.`) : [],
  );
  return [...own, ...below];
}

const sorted = (entries: string[][]) => entries.map((entry) => entry.join(" ")).toSorted();
/** A frame type, and what the rows of its table should be. */
type Frame = readonly [type: string, fields: string[][]];

const clientFrames: Frame[] = clientFrameSchema.options.map((schema) => [
  String((schema.shape.type as z.ZodLiteral).value),
  fieldsOf(schema),
]);
const serverFrames: Frame[] = Object.entries(SERVER_FRAMES).map(([type, shapes]) => [
  type,
  Object.entries<(value: unknown) => boolean>(shapes).map(([name, shape]) => [
    name,
    shape(undefined) ? "optional" : "required",
  ]),
]);

/** Frames of one direction; those that exist in both have the direction in their heading. */
const directions: [heading: string, suffix: string, frames: readonly Frame[]][] = [
  ["## Frames from the client", " from a client", clientFrames],
  ["## Frames from the server", " from the server", serverFrames],
];
const frames = directions.flatMap(([heading, suffix, described]) =>
  described.map(([type, fields]) => {
    const text = section(page, heading);
    const title = `### \`${type}\``;
    return { name: `${type}${suffix}`, type, fields, text: section(text, title) || section(text, title + suffix) };
  }),
);

describe("PROTOCOL.md", () => {
  it.each(frames)("has the fields of $name, and only those", ({ fields, text }) => {
    expect(text).not.toBe("");
    expect(sorted(rows(text))).toEqual(sorted(fields));
  });

  it.each<[string, z.ZodObject]>([
    ["### A user message", userMessageSchema],
    ["### A client tool", clientToolSchema],
  ])("has the fields of %s, and only those", (heading, schema) => {
    expect(sorted(rows(section(page, heading)))).toEqual(sorted(fieldsOf(schema)));
  });

  it("has the fields of a chat request's body, and only those", () => {
    const [text = ""] = section(page, "## The body of a chat request").split("### ");
    expect(sorted(rows(text))).toEqual(sorted(fieldsOf(chatBodySchema)));
  });

  it("has a heading for every frame and for nothing else", () => {
    const headings = directions.flatMap(([heading]) => section(page, heading).match(/^### `\w+`/gm) ?? []);
    expect(headings.toSorted()).toEqual(frames.map(({ type }) => `### \`${type}\``).toSorted());
  });

  it("has every error code, and only those", () => {
    const codes = rows(section(page, "## Error codes")).map(([code]) => code);
    expect(codes.toSorted()).toEqual([...ERROR_CODES].toSorted());
  });

  it("has every capability, and only those", () => {
    const text = section(page, "## Capabilities");
    expect(rows(text).map(([word]) => word)).toEqual([...CAPABILITIES]);
    expect(text).toContain(`?${CAPABILITY_PARAM}=${CAPABILITIES.join(",")}`);
  });
});

describe("the documentation", () => {
  it("uses no frame word that the wire does not know", () => {
    const known = new Set<string>(Object.values(CHAT_MESSAGE_TYPES));
    const words = files("*.md", "docs/**/*.md").flatMap((path) => read(path).match(/\bcf_agent_\w+\b(?!\*)/g) ?? []);
    expect([...new Set(words)].filter((word) => !known.has(word))).toEqual([]);
  });
});
