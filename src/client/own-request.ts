/**
 * A request of this client, from the click to its one end.
 *
 *   queued ──send──▶ sent ──accept──▶ pending ──stream──▶ streaming ──end──▶ ended
 *      ▲               │
 *      └── forget ─────┘   the server has never seen it
 *
 * Each event has an answer in each state; `ended` is never left. A request
 * that is sent again keeps its id, so that the server can tell that it has it
 * already. One that waits is sent whatever is heard of its messages: somebody
 * else may have sent them, and only who asks is told how it ended.
 */
import type { UIMessage } from "ai";
import type { ClientFrameOf } from "../shared/wire.ts";
import { CHAT_MESSAGE_TYPES } from "../shared/wire-words.ts";

export const REQUEST_STATES = ["queued", "sent", "pending", "streaming", "ended"] as const;
export type RequestState = (typeof REQUEST_STATES)[number];

export const REQUEST_EVENTS = ["send", "accept", "stream", "forget", "end"] as const;
export type RequestEvent = (typeof REQUEST_EVENTS)[number];

/** How far an event brings a request; one that is further already stays where it is. */
const reached = { send: "sent", accept: "pending", stream: "streaming", end: "ended" } as const;

export function nextRequestState(state: RequestState, event: RequestEvent): RequestState {
  if (event === "forget") return state === "sent" ? "queued" : state;
  // One that waits is not accepted because its messages are known.
  if (event === "accept" && state === "queued") return state;
  const rank = Math.max(REQUEST_STATES.indexOf(state), REQUEST_STATES.indexOf(reached[event]));
  return REQUEST_STATES[rank] ?? state;
}

export interface OwnRequest {
  readonly id: string;
  readonly state: RequestState;
  /** The new user messages it brings, or, to regenerate, the one to answer again. */
  readonly messages: readonly UIMessage[];
  readonly trigger: "submit-message" | "regenerate-message";
  /** To regenerate: the message that is named; the user message itself, or the answer to replace. */
  readonly target: string | null;
  /** The caller's own fields of the body. */
  readonly body: RequestBody;
  /** Whether the server's transcript is known to have had its messages; until then they are shown by the client. */
  readonly isAccepted: boolean;
}

/** Fields that a caller adds to the body of a request; anything JSON can say. They reach `onChatMessage` as `options.body`. */
export type RequestBody = Readonly<Record<string, unknown>>;

export function newRequest(id: string, messages: readonly UIMessage[], body: RequestBody = {}): OwnRequest {
  return { id, state: "queued", messages, trigger: "submit-message", target: null, body, isAccepted: false };
}

/** Asks for another answer to `asked`; `target` is it, or the answer that the new one replaces. */
export function newRegenerate(id: string, asked: UIMessage, target: string, body: RequestBody = {}): OwnRequest {
  const trigger = "regenerate-message";
  return { id, state: "queued", messages: [asked], trigger, target, body, isAccepted: true };
}

/** Sent, and not ended as far as is known. */
export function isInFlight(request: OwnRequest): boolean {
  return request.state === "sent" || request.state === "pending" || request.state === "streaming";
}

export function isUnfinished(request: OwnRequest): boolean {
  return request.state !== "ended";
}

/** The frame, the same each time. */
export function requestFrame(request: OwnRequest): ClientFrameOf<"cf_agent_use_chat_request"> {
  const { messages, trigger, target } = request;
  const body = { ...request.body, messages, trigger, ...(target === null ? {} : { messageId: target }) };
  return {
    type: CHAT_MESSAGE_TYPES.USE_CHAT_REQUEST,
    id: request.id,
    init: { method: "POST", body: JSON.stringify(body) },
  };
}
