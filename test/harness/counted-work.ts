/**
 * Counts the work of a stretch of code exactly, the same on every machine: how often blocks of our own source ran, how
 * many elements built-in functions walked or copied, and how many characters went through JSON.
 */
import { Session } from "node:inspector/promises";

type Method = (this: { length: number }, ...args: unknown[]) => unknown;
type Methods = Record<PropertyKey, Method>;

export interface Work {
  /** Runs of functions, branches and loop bodies under `src/`. */
  readonly blocks: number;
  /** Elements that arrays had when they were walked or copied. */
  readonly elements: number;
  /** Characters parsed and written as JSON. */
  readonly characters: number;
}

const walks: readonly PropertyKey[] = [
  Symbol.iterator,
  ..."concat every filter find findIndex findLast findLastIndex flatMap forEach includes indexOf".split(" "),
  ..."map reduce slice some toReversed toSpliced with".split(" "),
];

/** What `run` costs. Nothing else may run meanwhile. */
export async function countWork(run: () => Promise<void>): Promise<Work> {
  const counted = { elements: 0, characters: 0 };
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  await session.post("Profiler.takePreciseCoverage");
  const restore = countBuiltIns(counted);
  try {
    await run();
  } finally {
    restore();
  }
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  const ranges = result
    .filter(({ url }) => /\/src\/[^?]*(?<!\.test)\.tsx?/.test(url))
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges));
  return { ...counted, blocks: ranges.reduce((sum, { count }) => sum + count, 0) };
}

function countBuiltIns(counted: { elements: number; characters: number }): () => void {
  const array = Array.prototype as unknown as Methods;
  const originals = walks.map((name) => [name, array[name] as Method] as const);
  for (const [name, original] of originals) {
    array[name] = function (...args) {
      counted.elements += this.length;
      return original.apply(this, args);
    };
  }
  const { parse, stringify } = JSON;
  JSON.parse = ((text: string, reviver) => {
    counted.characters += text.length;
    return parse(text, reviver);
  }) as typeof parse;
  JSON.stringify = ((...args: Parameters<typeof stringify>) => {
    const text = stringify(...args);
    counted.characters += text?.length ?? 0;
    return text;
  }) as typeof stringify;
  return () => {
    for (const [name, original] of originals) array[name] = original;
    Object.assign(JSON, { parse, stringify });
  };
}
