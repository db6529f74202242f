/**
 * The state of the link between a client and its conversation.
 *
 *   connecting ──open──▶ open ──lost──▶ closed ──connect──▶ connecting
 *        └───────────── refused ─────────▶ closed-for-good
 *
 * Each event has an answer in each state. Only `connect` leaves
 * `closed-for-good`: the server has said that trying again is useless, so
 * nobody does until a person or the program asks.
 */

export const LINK_STATES = ["connecting", "open", "closed", "closed-for-good"] as const;
export type LinkState = (typeof LINK_STATES)[number];

export const LINK_EVENTS = [
  /** Somebody asked for a connection, or a new attempt begins. */
  "connect",
  /** The socket opened. */
  "open",
  /** The socket closed in a way that a new attempt may heal. */
  "lost",
  /** The socket closed with a code that no new attempt heals. */
  "refused",
] as const;
export type LinkEvent = (typeof LINK_EVENTS)[number];

/** The state after `event`. */
export function nextLinkState(state: LinkState, event: LinkEvent): LinkState {
  if (event === "refused") return "closed-for-good";
  if (event === "connect") return state === "open" ? state : "connecting";
  if (state === "closed-for-good") return state;
  return event === "open" ? "open" : "closed";
}

/** Close codes after which a new attempt is useless: no principal (4401), not allowed (4403), policy (1008). */
const TERMINAL_CLOSE_CODES: ReadonlySet<number> = new Set([4401, 4403, 1008]);

/** What a close code means for the link. */
export function linkEventOfClose(code: number): Extract<LinkEvent, "lost" | "refused"> {
  return TERMINAL_CLOSE_CODES.has(code) ? "refused" : "lost";
}

/** What a browser says of its network; elsewhere nobody says it. */
export const NETWORK_EVENTS = ["online", "offline"] as const;
