/**
 * The lengths of the deltas inside a joined chunk, in their compact form: a
 * list of lengths, where a negative number -n says that the next length stands
 * n times. So `[3, 5, -40, 1]` is a delta of 3 units, one of 5, and 40 of 1.
 */

/** Shorter runs are not worth two numbers. */
const SHORTEST_RUN = 3;

export function encodeCuts(lengths: readonly number[]): number[] {
  const cuts: number[] = [];
  for (let at = 0; at < lengths.length;) {
    const length = lengths[at] as number;
    let next = at + 1;
    while (lengths[next] === length) next++;
    const count = next - at;
    if (count >= SHORTEST_RUN) cuts.push(-count, length);
    else for (let copy = 0; copy < count; copy++) cuts.push(length);
    at = next;
  }
  return cuts;
}

/** The inverse of `encodeCuts`. Allocates one number per delta: measure foreign cuts first. */
export function decodeCuts(cuts: readonly number[]): number[] {
  const lengths: number[] = [];
  for (const [count, length] of runsOf(cuts)) for (let copy = 0; copy < count; copy++) lengths.push(length);
  return lengths;
}

/** How many deltas `cuts` describes and how long they are together, or null when it describes none properly. */
export function measureCuts(cuts: readonly number[]): { readonly deltas: number; readonly units: number } | null {
  let deltas = 0;
  let units = 0;
  for (const [count, length] of runsOf(cuts)) {
    if (!Number.isSafeInteger(count) || !Number.isSafeInteger(length) || length < 0) return null;
    deltas += count;
    units += count * length;
  }
  return Number.isSafeInteger(deltas) && Number.isSafeInteger(units) ? { deltas, units } : null;
}

function* runsOf(cuts: readonly number[]): Generator<readonly [count: number, length: number]> {
  for (let at = 0; at < cuts.length; at++) {
    const number = cuts[at] as number;
    yield number < 0 ? [-number, cuts[++at] ?? Number.NaN] : [1, number];
  }
}
