/**
 * Errors as clients may see them: safe text, a code, whether to retry.
 *
 * What a provider said stays on the server (it may quote keys or prompts); our
 * own errors are written for clients and pass through.
 */
import { errorText, isTroupeError } from "../../../shared/errors.ts";
import type { ClientError } from "../contract.ts";

interface ProviderFailure {
  readonly name?: unknown;
  readonly statusCode?: unknown;
  readonly isRetryable?: unknown;
  readonly lastError?: unknown;
}

const overflow = /context.{0,20}(length|window|limit)|too many (input )?tokens|prompt is too long|maximum context/i;
/** How the runtime words a provider that cannot be reached or breaks off; the AI SDK passes it on as it is. */
const lostProvider = /^network connection lost|^fetch failed/i;

/** Maps anything that was thrown while a turn ran. */
export function toClientError(error: unknown): ClientError {
  if (isTroupeError(error)) return { code: error.code, message: error.message, retryable: error.retryable };
  const cause = rootFailure(error);
  if (overflow.test(errorText(cause))) {
    return { code: "context_overflow", message: "The conversation is too long for the model.", retryable: false };
  }
  const status = statusOf(cause);
  if (status === undefined) return { code: "internal", message: "Something went wrong.", retryable: true };
  if (status === 429) {
    return { code: "rate_limited", message: "The model is busy. Wait a moment.", retryable: true };
  }
  if (status === 401 || status === 403) {
    return { code: "model_error", message: "The model refused the server's credentials.", retryable: false };
  }
  // An error with a status of success: the answer broke off while it was read.
  return status >= 500 || status === 408 || status < 400
    ? { code: "model_error", message: "The model failed.", retryable: true }
    : { code: "model_error", message: "The model did not accept the request.", retryable: false };
}

/** The failure below the AI SDK's retry wrapper; wrappers may not go round in circles for ever. */
function rootFailure(error: unknown, depth = 0): unknown {
  const wrapped = (error as ProviderFailure | null)?.lastError;
  return wrapped === undefined || depth > 8 ? error : rootFailure(wrapped, depth + 1);
}

function statusOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { statusCode, name } = error as ProviderFailure;
  if (typeof statusCode === "number") return statusCode;
  const isOfModel = (typeof name === "string" && name.startsWith("AI_")) || lostProvider.test(errorText(error));
  return isOfModel ? 500 : undefined;
}
