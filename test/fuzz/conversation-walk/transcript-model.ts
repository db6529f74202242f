/** The transcript that a list of turns leaves behind, as a pure machine: the reference that storage is compared with. */

/** A turn as its record tells it, in order of admission. */
export interface TurnFact {
  readonly requestId: string;
  readonly state: string;
  readonly isStarted: boolean;
  readonly input: readonly string[];
  /** The stored message that it answers again. */
  readonly answers: string | null;
  readonly messageId: string;
  /** Whether it completed without saying anything. */
  readonly isSilent: boolean;
}

export interface RowFact {
  readonly id: string;
  /** The id of the message before it on its branch. */
  readonly parent: string | null;
  readonly role: string;
}

/** Every row that the turns should have left, in order. `answered`: the answers that exist. */
export function expectedRows(turns: readonly TurnFact[], answered: ReadonlySet<string>): RowFact[] {
  const rows: RowFact[] = [];
  for (const turn of turns.filter(({ isStarted }) => isStarted)) {
    for (const id of turn.input) rows.push({ id, parent: rows.at(-1)?.id ?? null, role: "user" });
    const isAnswered = turn.state === "completed" ? !turn.isSilent : answered.has(turn.messageId);
    const parent = turn.answers ?? rows.at(-1)?.id ?? null;
    if (isAnswered) rows.push({ id: turn.messageId, parent, role: "assistant" });
  }
  return rows;
}

/** The ids on the path that ends at the newest row, oldest first. */
export function activePath(rows: readonly RowFact[]): string[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const path: string[] = [];
  for (let row = rows.at(-1); row !== undefined; row = row.parent === null ? undefined : byId.get(row.parent)) {
    path.unshift(row.id);
  }
  return path;
}
