/**
 * HTTP of a conversation, beside its socket:
 *
 *   GET    …/get-messages[?before=<id>&limit=n]   history, all or a page
 *   POST   …/chat                                 a turn, answered as server-sent events
 *   DELETE …/chat                                 clears the conversation, for everybody
 *   GET    …/chat/<id>/stream                     the running stream; Last-Event-ID goes on after a seq
 *   DELETE …/chat/<id>/stream                     cancels the running turn
 *
 * `<id>` is the chat id of the AI SDK's transport; a conversation has one
 * running stream, so it does not matter. Other methods on these paths are
 * answered with 405; every other path is the user's.
 */
import type { ErrorCode } from "../../shared/errors.ts";
import { MAX_FRAME_BYTES, parseChatBody } from "../../shared/wire.ts";
import {
  corsHeaders,
  errorResponse,
  foreignOrigin,
  originAllowed,
  preflight,
  refusalResponse,
  type Verdict,
} from "./access.ts";
import type { Action, CorsOptions } from "./contract.ts";
import type { ConversationParts } from "./parts.ts";
import { eventStreamResponse } from "./sessions/event-stream.ts";
import { allMessageTexts, newestPage, pageBefore, PAGE_MESSAGES } from "./transcript/view.ts";
import { admit, type Admission, isLater } from "./turn/admission.ts";
import { cancelTurn, clearConversation } from "./turn/cancel.ts";

export interface HttpAccess {
  authorize(action: Action, request: Request): Verdict | Promise<Verdict>;
  cors(): CorsOptions | undefined;
}

type Route = {
  readonly action: Action;
  handle(parts: ConversationParts, request: Request, principal: unknown): Promise<Response> | Response;
};

type Routes = Readonly<Record<string, Route>>;

const MAX_PAGE = 500;
const NO_CORS = "CORS is not enabled for this origin; the server lists those that may come in `cors.origins`.";
const NOT_FOUND_BEFORE = "There is no message with the id in `before`; load the newest page again.";

/** Answers a request of ours; undefined for everything else. */
export async function handleHttp(
  parts: ConversationParts,
  access: HttpAccess,
  request: Request,
): Promise<Response | undefined> {
  const routes = routesAt(new URL(request.url).pathname);
  if (routes === null) return undefined;
  const cors = access.cors();
  if (request.method === "OPTIONS") return preflight(request, cors) ?? errorResponse(403, "forbidden", NO_CORS);
  const route = routes[request.method];
  const response =
    route === undefined ? wrongMethod(request.method, routes) : await answer(parts, access, request, route);
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(corsHeaders(request, cors))) headers.set(name, value);
  return new Response(response.body, { status: response.status, headers });
}

function wrongMethod(method: string, routes: Routes): Response {
  const allow = [...Object.keys(routes), "OPTIONS"].join(", ");
  const response = errorResponse(405, "bad_request", `This path takes ${allow}, not ${method}.`);
  response.headers.set("allow", allow);
  return response;
}

async function answer(parts: ConversationParts, access: HttpAccess, request: Request, route: Route): Promise<Response> {
  if (!originAllowed(request, access.cors())) return foreignOrigin();
  const verdict = await access.authorize(route.action, request);
  if (!verdict.allow) return refusalResponse(verdict);
  return route.handle(parts, request, verdict.principal ?? null);
}

/** What our paths answer, by method; null for a path that is not ours. */
function routesAt(pathname: string): Routes | null {
  if (pathname.endsWith("/get-messages")) return { GET: history };
  if (pathname.endsWith("/chat")) return { POST: chat, DELETE: clear };
  return /\/chat\/[^/]+\/stream$/.test(pathname) ? { GET: resume, DELETE: cancel } : null;
}

const history: Route = {
  action: "read",
  handle: (parts, request) => {
    const query = new URL(request.url).searchParams;
    const before = query.get("before");
    if (before === null && !query.has("limit")) return wholeHistory(parts);
    const limit = Math.min(Math.max(Number.parseInt(query.get("limit") ?? "", 10) || PAGE_MESSAGES, 1), MAX_PAGE);
    const page = before === null ? newestPage(parts, limit) : pageBefore(parts, before, limit);
    return page === null
      ? errorResponse(404, "not_found", NOT_FOUND_BEFORE)
      : Response.json(page.messages, { headers: { "x-chat-has-more": String(page.hasMore) } });
  },
};

/** Everything, streamed: the transcript may be larger than memory. */
function wholeHistory(parts: ConversationParts): Response {
  const texts = messageTexts(parts);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = texts.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
}

/** The pieces of a JSON array. */
function* messageTexts(parts: ConversationParts): Generator<string> {
  let separator = "[";
  for (const text of allMessageTexts(parts)) {
    yield separator + text;
    separator = ",";
  }
  yield separator === "[" ? "[]" : "]";
}

const chat: Route = {
  action: "send",
  handle: async (parts, request, principal) => {
    const text = await readBody(request);
    if (text === null)
      return errorResponse(413, "too_large", `The body is over the limit of ${MAX_FRAME_BYTES} bytes.`);
    const parsed = parseChatBody(text);
    if (!parsed.ok) return errorResponse(parsed.code === "too_large" ? 413 : 400, parsed.code, parsed.problem);
    const requestId = request.headers.get("x-chat-request-id")?.slice(0, 256) || crypto.randomUUID();
    return answerAdmission(parts, admit(parts, { requestId, body: parsed.body, principal }), requestId);
  },
};

const resume: Route = {
  action: "resume",
  handle: (parts, request) => {
    const lastSeq = Number.parseInt(request.headers.get("last-event-id") ?? "0", 10) || 0;
    const record = parts.turns.open().find((open) => open.state !== "waiting");
    return record === undefined
      ? new Response(null, { status: 204 })
      : eventStreamResponse(parts, { record, after: Math.max(0, lastSeq) });
  },
};

const cancel: Route = {
  action: "cancel",
  handle: (parts) => {
    const open = parts.turns.open()[0];
    if (open !== undefined) cancelTurn(parts, open.turn.requestId);
    return new Response(null, { status: 204 });
  },
};

const clear: Route = {
  action: "clear",
  handle: (parts) => {
    clearConversation(parts);
    return new Response(null, { status: 204 });
  },
};

function answerAdmission(parts: ConversationParts, admission: Admission, requestId: string): Response {
  switch (admission.kind) {
    case "admitted":
    case "repeated":
      return eventStreamResponse(parts, { record: admission.record, after: 0 });
    case "skipped":
      return new Response("data: [DONE]\n\n", {
        headers: {
          "content-type": "text/event-stream",
          "x-chat-outcome": "skipped",
          "x-chat-request-id": requestId,
        },
      });
    case "refused":
      return errorResponse(refusalStatus(admission.code), admission.code, admission.problem, isLater(admission.code));
    default:
      return admission satisfies never;
  }
}

function refusalStatus(code: ErrorCode): number {
  return code === "not_found" ? 404 : code === "limit" ? 429 : code === "internal" ? 500 : 400;
}

/** The body as text; null when it is over the limit, which ends the reading there. */
async function readBody(request: Request): Promise<string | null> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_FRAME_BYTES) return null;
  if (request.body === null) return "";
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = "";
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_FRAME_BYTES) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
