/**
 * The one error class of the project and its closed list of codes.
 *
 * An error crosses an actor boundary with `name`, `message`, `code` and own
 * fields but without its class, so it is recognised by name and code
 * (`isTroupeError`), never by `instanceof`.
 */

/** Every code a caller may meet, in thrown errors, error frames and HTTP error bodies. */
export const ERROR_CODES = [
  /** A frame or body that does not validate. */
  "bad_request",
  /** A frame, body, message or answer over a stated limit. */
  "too_large",
  /** No principal (HTTP 401). */
  "unauthorized",
  /** A principal that may not do this (HTTP 403). */
  "forbidden",
  /** Something that is not there: a route, a message id. */
  "not_found",
  /** The request does not fit the state of the conversation. */
  "conflict",
  /** A chat request without a message to answer. */
  "empty_messages",
  /** `getModel()` is not overridden. */
  "no_model",
  /** The model or its provider failed. */
  "model_error",
  /** The provider refused because of its rate limit; retry later. */
  "rate_limited",
  /** The prompt does not fit the model's context. */
  "context_overflow",
  /** The model went silent for longer than the stated limit. */
  "timeout",
  /** The turn ran into a stated limit of size. */
  "limit",
  /** The runtime went away in the middle of the turn. */
  "interrupted",
  /** The turn was cancelled. */
  "aborted",
  /** An actor class that the Worker does not export. */
  "missing_export",
  /** A tool answer or decision for a call that does not wait for one. */
  "no_pending_call",
  /** Anything else; details are in the server's log. */
  "internal",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** An error with a code. `retryable` tells whether the same request may succeed later. */
export class TroupeError extends Error {
  override readonly name = "TroupeError";
  readonly code: ErrorCode;
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}

/** Recognises a `TroupeError` on either side of an actor boundary. */
export function isTroupeError(error: unknown): error is TroupeError {
  return (
    typeof error === "object" &&
    error !== null &&
    "name" in error &&
    error.name === "TroupeError" &&
    "code" in error &&
    (ERROR_CODES as readonly unknown[]).includes(error.code)
  );
}

/** The text of anything that was thrown. Never throws. */
export function errorText(error: unknown): string {
  try {
    if (typeof error === "object" && error !== null && "message" in error) return String(error.message);
    return String(error);
  } catch (unreadable) {
    // Objects without a prototype, and getters that throw, have no text.
    return unreadable instanceof Error ? `an error without a text (${unreadable.name})` : "an error without a text";
  }
}
