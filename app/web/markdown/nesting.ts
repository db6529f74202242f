/**
 * A limit for what is nested in a text: quotes, lists, stress. Whoever walks
 * such a text walks it by recursion, and a model that was talked into it could
 * take the whole page down, again each time the conversation is opened.
 */

/** Deeper than anybody writes, and far from the end of the stack. */
const MAX_DEPTH = 100;

/** A line that begins with so many quotes and list items in each other, which takes seconds to be told by walking it. */
const DEEP_LINE = new RegExp(String.raw`^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){${MAX_DEPTH}}`, "m");

interface Node {
  readonly children?: readonly Node[];
}

/** A plugin that throws a `RangeError` for what is nested deeper. */
export function limitNesting(): (tree: Node) => void {
  return (tree) => check(tree, 0);
}

function check({ children = [] }: Node, depth: number): void {
  if (depth > MAX_DEPTH) throw new RangeError(`The text is nested deeper than ${MAX_DEPTH} levels.`);
  for (const child of children) check(child, depth + 1);
}

/** What `work` makes of `text`, or `instead` where it is nested too deep for it. */
export function unlessTooDeep<T>(text: string, work: () => T, instead: T): T {
  if (DEEP_LINE.test(text)) return instead;
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return instead;
    throw error;
  }
}
