/**
 * What a segment's writer has written, asked for and stored, as a value.
 *
 *   open ──end-asked──▶ closing ──batch-stored (the last)──▶ closed
 *     └────────┬──────────┘
 *        batch-refused ──▶ degraded            any ──discarded──▶ discarded
 *
 * `storedSeq` only grows, and never past `lastSeq`. `nextWriterState` is
 * total: what does not concern a phase leaves the state as it is.
 */
import type { StreamEnd } from "../../stream-buffer/contract.ts";

export const WRITER_PHASES = ["open", "closing", "closed", "degraded", "discarded"] as const;
export type WriterPhase = (typeof WRITER_PHASES)[number];

export interface WriterState {
  readonly phase: WriterPhase;
  /** The last seq given out. */
  readonly lastSeq: number;
  /** Everything up to here shall be stored without waiting for a limit. */
  readonly wantedSeq: number;
  /** Everything up to here is known to be stored. */
  readonly storedSeq: number;
  /** How the segment ended, once that is known. */
  readonly end: StreamEnd | null;
}

export type WriterEvent =
  | { readonly kind: "chunk-written" }
  | { readonly kind: "flush-asked" }
  | { readonly kind: "end-asked"; readonly end: StreamEnd }
  | { readonly kind: "batch-stored"; readonly lastSeq: number; readonly withEnd: boolean }
  | { readonly kind: "batch-refused" }
  | { readonly kind: "discarded" };

export const newWriterState: WriterState = { phase: "open", lastSeq: 0, wantedSeq: 0, storedSeq: 0, end: null };

export function nextWriterState(state: WriterState, event: WriterEvent): WriterState {
  switch (event.kind) {
    case "chunk-written":
      return { ...state, lastSeq: state.lastSeq + 1 };
    case "flush-asked":
      return { ...state, wantedSeq: state.lastSeq };
    case "end-asked":
      return state.phase === "open" ? { ...state, phase: "closing", end: event.end, wantedSeq: state.lastSeq } : state;
    case "batch-stored":
      if (!isSending(state)) return state;
      return { ...state, phase: event.withEnd ? "closed" : state.phase, storedSeq: event.lastSeq };
    case "batch-refused":
      return isSending(state) ? { ...state, phase: "degraded" } : state;
    case "discarded":
      return { ...state, phase: "discarded" };
  }
}

/** Whether the writer still hands batches to the buffer. */
export function isSending({ phase }: WriterState): boolean {
  return phase === "open" || phase === "closing";
}

/** Whether a chunk written now has a place: not behind the end of the segment, and not after it was discarded. */
export function isKeeping({ phase }: WriterState): boolean {
  return phase === "open" || phase === "degraded";
}

/** Whether a batch shall go out as soon as none is under way. */
export function isBatchDue(state: WriterState): boolean {
  return state.phase === "closing" || (state.phase === "open" && state.storedSeq < state.wantedSeq);
}
