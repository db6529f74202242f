/**
 * Admission: what a chat request becomes, decided, recorded and answered
 * before the first await.
 *
 * Everything a request asks for is settled in one synchronous stretch, so two
 * requests that arrive together can never both find an idle conversation, and
 * every request id gets exactly one ending. The policy here is `queue`; others
 * would choose between the same outcomes in `place`.
 */
import type { UIMessage } from "ai";
import type { ErrorCode } from "../../../shared/errors.ts";
import { logError } from "../../../shared/platform/log.ts";
import type { ChatBody } from "../../../shared/wire.ts";
import type { Principal, TurnKind } from "../contract.ts";
import type { ConversationParts } from "../parts.ts";
import { intake } from "../transcript/intake.ts";
import { sanitized } from "../transcript/persist.ts";
import { messagesAppended } from "../transcript/view.ts";
import { conductTurn } from "./conduct-turn.ts";
import { supersedeWaiting } from "./pause.ts";
import { storeInput } from "./store-input.ts";
import type { StreamReader } from "./live-stream.ts";
import type { TurnRecord } from "./turn-log.ts";
import type { Turn, TurnEnding } from "./turn.ts";

export interface ChatRequest {
  readonly requestId: string;
  readonly body: ChatBody;
  readonly principal: Principal;
  /** Follows the turn's stream from its first chunk and is told its ending; only for a request that is admitted. */
  readonly reader?: StreamReader;
  readonly kind?: Extract<TurnKind, "submit" | "programmatic">;
}

/** Most requests of one conversation that may wait their turn; one more is refused. */
export const MAX_WAITING = 64;

export type Admission =
  /** A turn was recorded; `ended` resolves with its ending and never rejects. */
  | { readonly kind: "admitted"; readonly record: TurnRecord; readonly ended: Promise<TurnEnding> }
  /** The request id is known; nothing happened. */
  | { readonly kind: "repeated"; readonly record: TurnRecord }
  /** There is nothing to answer: what was posted is stored and answered, or another turn answers it. */
  | { readonly kind: "skipped" }
  | { readonly kind: "refused"; readonly code: ErrorCode; readonly problem: string };

/** Whether the same request may be admitted later. */
export function isLater(code: ErrorCode): boolean {
  return code === "limit" || code === "internal";
}

/** What a request is to answer: new messages, or a stored one again. */
type Target =
  | { readonly kind: "input"; readonly input: readonly UIMessage[] }
  | { readonly kind: "again"; readonly answers: string; readonly regenerate: boolean }
  | Extract<Admission, { kind: "skipped" | "refused" }>;

/** Admits a chat request. Synchronous; the turn runs on its own. */
export function admit(parts: ConversationParts, request: ChatRequest): Admission {
  const known = parts.turns.byRequest(request.requestId);
  if (known !== null) return { kind: "repeated", record: known };
  if (parts.queue.queuedCount() >= MAX_WAITING) {
    return { kind: "refused", code: "limit", problem: `${MAX_WAITING} requests wait already. Send it again later.` };
  }
  const target = targetOf(parts, request.body);
  if (target.kind === "skipped" || target.kind === "refused") return target;
  if (request.reader !== undefined) parts.followers.add(request.requestId, request.reader);
  return place(parts, turnOf(request, target));
}

/** Records the turn and gives it its place in line. */
function place(parts: ConversationParts, turn: Turn): Admission {
  const startsNow = !parts.queue.isActive && parts.queue.queuedCount() === 0;
  if (startsNow) parts.meter.begin(turn.requestId, parts.clock.now());
  const before = parts.window.head();
  const { record, stored, tellClosed } = parts.db.transaction(() => {
    const tellClosed = startsNow ? supersedeWaiting(parts) : () => undefined;
    const record = parts.turns.admit(turn, startsNow ? "running" : "queued");
    return { record, stored: startsNow ? storeInput(parts, turn) : [], tellClosed };
  });
  tellClosed();
  messagesAppended(parts, before, stored, startsNow ? [] : turn.input);
  const ended = parts.queue
    .enqueue(turn.requestId, () => conductTurn(parts, record))
    .then((outcome) =>
      outcome.status === "completed" ? outcome.value : ({ state: "aborted", messageIds: [] } as const),
    );
  return { kind: "admitted", record, ended };
}

function turnOf(request: ChatRequest, target: Extract<Target, { kind: "input" | "again" }>): Turn {
  const { messages: _, clientTools, trigger: __, messageId: ___, ...body } = request.body;
  const regenerate = target.kind === "again" && target.regenerate;
  return {
    turnId: crypto.randomUUID(),
    requestId: request.requestId,
    kind: regenerate ? "regenerate" : (request.kind ?? "submit"),
    messageId: `msg_${crypto.randomUUID()}`,
    inputIds: target.kind === "input" ? target.input.map((message) => message.id) : [],
    input: target.kind === "input" ? target.input : [],
    answers: target.kind === "again" ? target.answers : null,
    clientTools: clientTools ?? [],
    body,
    principal: request.principal,
    continueWhenSettled: false,
  };
}

function targetOf(parts: ConversationParts, body: ChatBody): Target {
  const taken = intake(body.messages);
  const regenerate = body.trigger === "regenerate-message";
  if (!taken.ok && !(regenerate && taken.code === "empty_messages")) {
    return { kind: "refused", code: taken.code, problem: taken.problem };
  }
  const posted = taken.ok ? taken.messages : [];
  const open = parts.turns.open();
  // Ids that are given away: to messages that wait, and to answers that are being written.
  const given = new Set(open.flatMap(({ turn }) => [...turn.inputIds, turn.messageId]));
  const input = posted.filter((message) => !given.has(message.id) && parts.messages.locate(message.id) === null);
  if (input.length > 0) return prepared(parts, withoutRepeats(input));
  const last = posted.at(-1);
  if (regenerate) return answerAgain(parts, [body.messageId, last?.id]);
  // A repeated send: run it only if nothing has answered it and nothing is about to.
  const place = last === undefined ? null : parts.messages.locate(last.id);
  const isUnanswered = place?.role === "user" && place.seq === parts.messages.leaf();
  return last !== undefined && isUnanswered && open.length === 0
    ? { kind: "again", answers: last.id, regenerate: false }
    : { kind: "skipped" };
}

/** The user message to answer again: the one named first of those that are stored, or the one which that answers; with no name, the last one. */
function answerAgain(parts: ConversationParts, names: readonly (string | null | undefined)[]): Target {
  const named = names.filter((name) => typeof name === "string");
  const place = named.map((name) => parts.messages.locate(name)).find((found) => found !== null);
  const from = named.length === 0 ? parts.messages.leaf() : (place?.seq ?? null);
  const path = from === null ? [] : parts.messages.path(from, Number.MAX_SAFE_INTEGER, 16);
  const user = path.findLast((entry) => entry.message.role === "user");
  return user === undefined
    ? { kind: "refused", code: "not_found", problem: "There is no user message to answer again." }
    : { kind: "again", answers: user.message.id, regenerate: true };
}

/** New messages as they are to be stored. What the hook cannot pass is refused, before anything of it is kept. */
function prepared(parts: ConversationParts, messages: readonly UIMessage[]): Target {
  try {
    return { kind: "input", input: messages.map((message) => sanitized(parts, message)) };
  } catch (error) {
    logError("hook.failed", error, { hook: "onSanitizeMessage" });
    return { kind: "refused", code: "internal", problem: "The message could not be stored." };
  }
}

function withoutRepeats(messages: readonly UIMessage[]): UIMessage[] {
  return [...new Map(messages.map((message) => [message.id, message])).values()];
}
