/** What the scripted assistant answers: a pure function of what it is asked, so that a test knows every character. */

export interface Ask {
  /** Makes the answer recognisable; letters and digits. */
  readonly label: string;
  /** How many deltas the answer has. */
  readonly deltas: number;
  /** Milliseconds before each delta; 0 streams without a pause. */
  readonly paceMs: number;
}

/** The deltas of the answer; each one differs from all others, so that a doubled or missing one shows. */
export function deltasOf({ label, deltas }: Ask): string[] {
  return Array.from({ length: deltas }, (_, index) => `${label}.${index} `);
}

export const answerTo = (ask: Ask): string => deltasOf(ask).join("");

/** The deltas that are left when `written` stands already. */
export function deltasAfter(ask: Ask, written: string): string[] {
  let toSkip = written.length;
  return deltasOf(ask).flatMap((delta) => {
    const rest = delta.slice(Math.min(toSkip, delta.length));
    toSkip -= delta.length - rest.length;
    return rest === "" ? [] : [rest];
  });
}
