/**
 * What to do with a turn that a restart found without an ending: a pure
 * decision over its record and what the StreamBuffer holds of its stream.
 */
import type { StreamEnd } from "../../stream-buffer/contract.ts";
import type { ClientError } from "../contract.ts";
import type { TurnState } from "./turn-state.ts";

export type RecoveryDecision =
  /** It never started; run it now. */
  | { readonly kind: "run" }
  /** The whole answer is in the buffer; store it. */
  | { readonly kind: "complete" }
  /** The answer was cut; keep what there is and end the turn. */
  | { readonly kind: "fail"; readonly error: ClientError }
  /** It waits for a person or a browser; leave it alone. */
  | { readonly kind: "leave" };

export const INTERRUPTED: ClientError = {
  code: "interrupted",
  message: "The answer was interrupted.",
  retryable: true,
};

export function recover(state: TurnState, stream: StreamEnd | null): RecoveryDecision {
  switch (state) {
    case "queued":
      return { kind: "run" };
    case "waiting":
      return { kind: "leave" };
    case "running":
      return stream?.kind === "finished" ? { kind: "complete" } : { kind: "fail", error: INTERRUPTED };
    case "completed":
    case "failed":
    case "aborted":
    case "superseded":
      return { kind: "leave" };
    default:
      return state satisfies never;
  }
}
