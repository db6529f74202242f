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

/** Asks `authorize`; synchronous when it is. Never throws: an error in it is logged and refuses. */
export function verdictOf(agent: Authorizer, action: Action, who: Who): Verdict | Promise<Verdict> {
  const undecided = (error: unknown): Verdict => {
    logError("hook.failed", error, { hook: "authorize", action });
    return { allow: false, status: 500, reason: "Something went wrong." };
  };
  try {
    const verdict = agent.authorize(action, who);
    return verdict instanceof Promise ? verdict.catch(undecided) : verdict;
  } catch (error) {
    return undecided(error);
  }
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
