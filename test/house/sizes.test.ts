/** Files and classes stay small, or say above themselves, in a comment `// size: …`, why they are not. */
import { describe, expect, it } from "vitest";
import { lineCount, parse, read, sourceFiles, type Parsed } from "./sources.ts";

const maxLines = 300;
const maxMutableFields = 6;
const reason = /^\s*size:\s*\S+\s+\S+/;

type Node = { readonly type: string; readonly start: number; readonly end: number };
type ClassNode = Node & { readonly id: { name: string } | null; readonly body: { readonly body: readonly Member[] } };
type Member = Node & { readonly readonly?: boolean; readonly declare?: boolean };

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value;

/** Every class at or under a node. */
function classesIn(node: Node): ClassNode[] {
  const children = Object.values(node).flatMap((value: unknown) => (Array.isArray(value) ? value : [value]));
  const nested = children.filter(isNode).flatMap(classesIn);
  return node.type === "ClassDeclaration" || node.type === "ClassExpression" ? [node as ClassNode, ...nested] : nested;
}

/** Whether a `size:` comment stands above a class with nothing but comments between. */
function hasReasonAbove(text: string, comments: Parsed["comments"], { start }: ClassNode): boolean {
  let edge = text.slice(0, start).replace(/(?:\b(?:export|default|abstract)\s+)+$/, "").length;
  for (const comment of comments.filter(({ end }) => end <= start).toReversed()) {
    if (text.slice(comment.end, edge).trim() !== "") return false;
    if (reason.test(comment.value)) return true;
    edge = comment.start;
  }
  return false;
}

function mutableFields(node: ClassNode): number {
  const fields = node.body.body.filter(({ type }) => type === "PropertyDefinition" || type === "AccessorProperty");
  return fields.filter((field) => !field.readonly && !field.declare).length;
}

/** What is too large in a file, one line each. */
function oversized(path: string): string[] {
  const text = read(path);
  const { comments, program } = parse(path);
  const lines = lineCount(text);
  const isExplained = comments.some(({ end, value }) => end <= program.start && reason.test(value));
  const classes = classesIn(program).flatMap((node) => {
    const length = lineCount(text.slice(node.start, node.end));
    const fields = mutableFields(node);
    if (length <= maxLines && fields <= maxMutableFields) return [];
    if (hasReasonAbove(text, comments, node)) return [];
    return [`${path}: ${node.id?.name ?? "a class"} has ${length} lines and ${fields} mutable fields`];
  });
  return lines > maxLines && !isExplained ? [`${path} has ${lines} lines`, ...classes] : classes;
}

describe("sizes", () => {
  it("keeps source files within 300 lines, and classes within 300 lines and six mutable fields", () => {
    expect(sourceFiles().flatMap(oversized)).toEqual([]);
  });
});
