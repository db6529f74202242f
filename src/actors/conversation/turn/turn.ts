/** A turn as a value: made once at admission, stored in the turn log, passed down, never changed in place. */
import type { UIMessage } from "ai";
import type { ClientToolSchema, TurnOutcome } from "../../../shared/wire.ts";
import type { ClientError, Principal, TurnKind } from "../contract.ts";
import type { TerminalState } from "./turn-state.ts";

export interface Turn {
  /** Unique across conversations; names the turn's streams in the StreamBuffer. */
  readonly turnId: string;
  /** The request id of the first segment, chosen by the client. */
  readonly requestId: string;
  readonly kind: TurnKind;
  /** The id of the assistant message that the turn writes; fixed before anything is sent. */
  readonly messageId: string;
  /** The ids of the user messages that the request brought. */
  readonly inputIds: readonly string[];
  /** Those messages while the turn waits; once it has started they stand in the transcript, and here is nothing. */
  readonly input: readonly UIMessage[];
  /** For a turn that answers a stored message again: the id of that message. */
  readonly answers: string | null;
  readonly clientTools: readonly ClientToolSchema[];
  readonly body: Readonly<Record<string, unknown>>;
  readonly principal: Principal;
  /** Whether calls left open are to be followed by another segment once they are settled. */
  readonly continueWhenSettled: boolean;
}

/** How a turn ended, as kept in its record and told to clients that come later. */
export interface TurnEnding {
  readonly state: TerminalState;
  /** Set when `state` is `failed`. */
  readonly error?: ClientError;
  /** Text for the terminal frame of a turn that produced no message. */
  readonly note?: string;
  readonly messageIds: readonly string[];
}

/** The stream of the turn's n-th segment, from 1. */
export function streamIdOf(turn: Pick<Turn, "turnId">, segment = 1): string {
  return `${turn.turnId}/${segment}`;
}

/** The request id of the turn's n-th segment on the wire: the client's own for the first, the name of its stream for those that follow. */
export function segmentIdOf(turn: Pick<Turn, "turnId" | "requestId">, segment: number): string {
  return segment <= 1 ? turn.requestId : streamIdOf(turn, segment);
}

/** The turn and segment that a request id of a later segment names; null for the ids that clients choose. */
export function parseSegmentId(id: string): { readonly turnId: string; readonly segment: number } | null {
  const found = /^([0-9a-f-]{36})\/([1-9]\d{0,8})$/.exec(id);
  return found === null ? null : { turnId: found[1] ?? "", segment: Number(found[2]) };
}

/** The id of the message that the turn answers; null for a turn that answers none. */
export function answeredBy(turn: Turn): string | null {
  return turn.inputIds.at(-1) ?? turn.answers;
}

/** The wire's word for an ending. */
export function outcomeOf(state: TerminalState): TurnOutcome {
  return ({ completed: "completed", failed: "error", aborted: "aborted", superseded: "skipped" } as const)[state];
}
