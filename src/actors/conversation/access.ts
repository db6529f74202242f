/**
 * Who may come in: origins, CORS headers, and refusals in the form each way in
 * expects. The decision itself is the user's `authorize`.
 */
import type { ErrorCode } from "../../shared/errors.ts";
import { logError } from "../../shared/platform/log.ts";
import type { Action, Authorization, CorsOptions, Who } from "./contract.ts";

/** What `authorize` said; status 500 when it threw. */
export type Verdict = Authorization | { readonly allow: false; readonly status: 500; readonly reason: string };
type Refusal = Extract<Verdict, { allow: false }>;

export const allowed: Authorization = { allow: true };

interface Authorizer {
  authorize(action: Action, who: Who): Authorization | Promise<Authorization>;
}

/** Asks `authorize`; synchronous when it is. Never throws: an error in it is logged and refuses, and so does an answer that is none. */
export function verdictOf(agent: Authorizer, action: Action, who: Who): Verdict | Promise<Verdict> {
  const undecided = (error: unknown): Verdict => {
    logError("hook.failed", error, { hook: "authorize", action });
    return { allow: false, status: 500, reason: "Something went wrong." };
  };
  try {
    const answer = agent.authorize(action, who);
    // Answers of other actors are promises without being of the class.
    return isThenable(answer) ? Promise.resolve(answer).then(sound).catch(undecided) : sound(answer);
  } catch (error) {
    return undecided(error);
  }
}

/** The answer, or an error for what looks like one to a careless eye. */
function sound(answer: Authorization): Authorization {
  const { allow, status } = (answer ?? {}) as { readonly allow?: unknown; readonly status?: unknown };
  if (allow === true || (allow === false && (status === 401 || status === 403))) return answer;
  throw new TypeError("authorize must return { allow: true } or { allow: false, status: 401 | 403 }.");
}

function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | null | undefined)?.then === "function";
}

/**
 * Whether a request may come from where it says it comes from. Only browsers
 * send an Origin, and only cookies make a foreign page dangerous: requests
 * without either pass, as do those of the same host and of listed origins.
 */
export function originAllowed(request: Request, cors: CorsOptions | undefined): boolean {
  const origin = request.headers.get("origin");
  if (origin === null || !request.headers.has("cookie")) return true;
  const isSameHost = URL.canParse(origin) && new URL(origin).host === new URL(request.url).host;
  return isSameHost || (Array.isArray(cors?.origins) && cors.origins.includes(origin));
}

/** The CORS headers for an answer to `request`; none for an origin that is not listed. */
export function corsHeaders(request: Request, cors: CorsOptions | undefined): Record<string, string> {
  const origin = request.headers.get("origin");
  if (cors === undefined || origin === null) return {};
  if (cors.origins === "*") return { "access-control-allow-origin": "*", ...exposed };
  if (!cors.origins.includes(origin)) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    vary: "origin",
    ...exposed,
  };
}

const exposed = { "access-control-expose-headers": "x-chat-has-more, x-chat-outcome, x-chat-request-id" };

/** The answer to a preflight request, or null when CORS is off or the origin is not listed. */
export function preflight(request: Request, cors: CorsOptions | undefined): Response | null {
  const headers = corsHeaders(request, cors);
  if (Object.keys(headers).length === 0) return null;
  return new Response(null, {
    status: 204,
    headers: {
      ...headers,
      "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
      "access-control-allow-headers": request.headers.get("access-control-request-headers") ?? "content-type",
      "access-control-max-age": String(cors?.maxAgeSeconds ?? 86_400),
    },
  });
}

/** The code of a refusal. */
export function refusalCode({ status }: Refusal): Extract<ErrorCode, "unauthorized" | "forbidden" | "internal"> {
  return ({ 401: "unauthorized", 403: "forbidden", 500: "internal" } as const)[status];
}

/** The text of a refusal, safe for clients. */
export function refusalText(refusal: Refusal): string {
  return refusal.reason ?? (refusal.status === 401 ? "Sign in first." : "You may not do this.");
}

/** Close code for a socket that was refused; clients do not reconnect on 4401 and 4403. */
export function refusalCloseCode({ status }: Refusal): 4401 | 4403 | 1011 {
  return ({ 401: 4401, 403: 4403, 500: 1011 } as const)[status];
}

/** A refusal over HTTP. */
export function refusalResponse(refusal: Refusal): Response {
  return errorResponse(refusal.status, refusalCode(refusal), refusalText(refusal), refusal.status === 500);
}

/** An error over HTTP: `{ error: { code, message, retryable } }`. */
export function errorResponse(status: number, code: ErrorCode, message: string, retryable = false): Response {
  return Response.json({ error: { code, message, retryable } }, { status });
}

/** The answer to a request that `originAllowed` does not allow. */
export function foreignOrigin(): Response {
  return errorResponse(
    403,
    "forbidden",
    "Requests with cookies from this origin are not allowed; list it in `cors.origins`.",
  );
}
