/**
 * What a socket hears of a running stream, as a pure machine.
 *
 *   live ──connect or probe while a stream runs──▶ offered ──ack──▶ catching-up ──caught up──▶ live
 *   live ──probe while a turn waits──▶ waiting ──its stream starts──▶ offered
 *
 * A session is kept from the chunks of the stream it was offered until its
 * replay has caught up, so that nothing comes twice or out of order. Another
 * stream that starts finds it live again: nobody is left behind by an offer
 * that was never taken.
 */

export type Session =
  | { readonly kind: "live" }
  /** Was told "pending" and is owed an answer. */
  | { readonly kind: "waiting" }
  | { readonly kind: "offered"; readonly requestId: string }
  | { readonly kind: "catching-up"; readonly requestId: string };

export type SessionEvent =
  /** The session was told that this stream can be resumed. */
  | { readonly type: "offer"; readonly requestId: string }
  /** The session was told to wait for a stream. */
  | { readonly type: "wait" }
  | { readonly type: "ack"; readonly requestId: string }
  | { readonly type: "caught-up"; readonly requestId: string }
  /** A stream began. */
  | { readonly type: "started"; readonly requestId: string }
  /** Nothing runs or waits any more. */
  | { readonly type: "idle" };

export const live: Session = { kind: "live" };

/** The session after an event. A waiting session that meets `started` is to be offered the stream. */
export function nextSession(session: Session, event: SessionEvent): Session {
  switch (event.type) {
    case "offer":
      return { kind: "offered", requestId: event.requestId };
    case "wait":
      return { kind: "waiting" };
    case "ack":
      return { kind: "catching-up", requestId: event.requestId };
    case "caught-up":
      return session.kind === "catching-up" && session.requestId === event.requestId ? live : session;
    case "started":
      return session.kind === "waiting" ? { kind: "offered", requestId: event.requestId } : live;
    case "idle":
      return session.kind === "waiting" ? live : session;
    default:
      return event satisfies never;
  }
}

/** Whether chunks of this stream go to the session. */
export function hears(session: Session, requestId: string): boolean {
  return session.kind === "live" || session.kind === "waiting" || session.requestId !== requestId;
}
