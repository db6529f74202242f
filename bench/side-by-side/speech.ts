/** What the model of every subject is asked to say: a pure function of the question, so that both ends know each character. */

export interface Speech {
  readonly deltas: number;
  /** Milliseconds before each delta; 0: as fast as it goes, in bunches as they come from a network. */
  readonly paceMs: number;
  /** The answer ends no sooner than a request to `/release` has come with this word. */
  readonly until?: string;
}

/** Deltas that come in one bunch when there is no pace. */
export const BUNCH = 100;

export function deltaAt(index: number): string {
  return `${index.toString(36)} word `;
}

export function textOf({ deltas }: Speech): string {
  return Array.from({ length: deltas }, (_, index) => deltaAt(index)).join("");
}
