/**
 * The states of a turn and what each event does to them.
 *
 *   queued ──start──▶ running ⇄ waiting
 *      │                 │          │
 *      └──────┬──────────┴────┬─────┘
 *             ▼               ▼
 *   aborted | superseded   completed | failed | aborted
 *
 * The table is total: `null` means that the event does not concern a turn in
 * this state and nothing happens. A terminal state never changes.
 */

export const TURN_STATES = ["queued", "running", "waiting", "completed", "failed", "aborted", "superseded"] as const;
export type TurnState = (typeof TURN_STATES)[number];

export const TURN_EVENTS = [
  /** It is this turn's turn. */
  "start",
  /** The segment ended with calls that wait for a person or a browser. */
  "pause",
  /** Every call of the step is settled and a continuation was asked for. */
  "resume",
  /** The answer is complete and stored. */
  "finish",
  /** The model, the code around it or the runtime failed. */
  "fail",
  /** Somebody cancelled it, or the conversation was cleared. */
  "cancel",
  /** A newer request took its place before it started. */
  "supersede",
] as const;
export type TurnEvent = (typeof TURN_EVENTS)[number];

const table: Readonly<Record<TurnState, Readonly<Record<TurnEvent, TurnState | null>>>> = {
  queued: {
    start: "running",
    pause: null,
    resume: null,
    finish: null,
    fail: "failed",
    cancel: "aborted",
    supersede: "superseded",
  },
  running: {
    start: null,
    pause: "waiting",
    resume: null,
    finish: "completed",
    fail: "failed",
    cancel: "aborted",
    supersede: null,
  },
  waiting: {
    start: null,
    pause: null,
    resume: "running",
    finish: "completed",
    fail: "failed",
    cancel: "aborted",
    supersede: "superseded",
  },
  completed: { start: null, pause: null, resume: null, finish: null, fail: null, cancel: null, supersede: null },
  failed: { start: null, pause: null, resume: null, finish: null, fail: null, cancel: null, supersede: null },
  aborted: { start: null, pause: null, resume: null, finish: null, fail: null, cancel: null, supersede: null },
  superseded: { start: null, pause: null, resume: null, finish: null, fail: null, cancel: null, supersede: null },
};

/** The state after `event`, or null when nothing happens. */
export function nextTurnState(state: TurnState, event: TurnEvent): TurnState | null {
  return table[state][event];
}

export type TerminalState = Extract<TurnState, "completed" | "failed" | "aborted" | "superseded">;

export function isTerminal(state: TurnState): state is TerminalState {
  return TURN_EVENTS.every((event) => table[state][event] === null);
}

/** The states that a process which died may leave behind. */
export const OPEN_STATES: readonly TurnState[] = TURN_STATES.filter((state) => !isTerminal(state));
