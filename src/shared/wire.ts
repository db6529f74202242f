// size: the whole wire vocabulary, which is read from top to bottom and belongs in one place
/**
 * The wire vocabulary: every frame a chat socket carries, with its schema.
 *
 * Owns the words; nobody else writes a frame type as a string. A frame either
 * parses to one of these shapes, or is ours and broken (`invalid`), or is not
 * ours (`foreign`) and belongs to the user's `onMessage`. Parsing never throws.
 */
import type { UIMessage } from "ai";
import { z } from "zod";
import type { ErrorCode } from "./errors.ts";
import { jsonProblem } from "./json-limits.ts";

export const CHAT_MESSAGE_TYPES = {
  USE_CHAT_REQUEST: "cf_agent_use_chat_request",
  USE_CHAT_RESPONSE: "cf_agent_use_chat_response",
  CHAT_MESSAGES: "cf_agent_chat_messages",
  CHAT_CLEAR: "cf_agent_chat_clear",
  CHAT_REQUEST_CANCEL: "cf_agent_chat_request_cancel",
  TOOL_RESULT: "cf_agent_tool_result",
  TOOL_APPROVAL: "cf_agent_tool_approval",
  MESSAGE_UPDATED: "cf_agent_message_updated",
  STREAM_RESUME_REQUEST: "cf_agent_stream_resume_request",
  STREAM_RESUME_ACK: "cf_agent_stream_resume_ack",
  STREAM_RESUMING: "cf_agent_stream_resuming",
  STREAM_RESUME_NONE: "cf_agent_stream_resume_none",
  STREAM_PENDING: "cf_agent_stream_pending",
  CHAT_RECOVERING: "cf_agent_chat_recovering",
  /** Ours: the end of the transcript changed; sent to clients with the `delta` capability. */
  CHAT_TAIL: "cf_agent_chat_tail",
  /** Ours: a frame that names no chat request was refused. */
  CHAT_ERROR: "cf_agent_chat_error",
} as const;

/** Largest text frame or HTTP body taken from a client, in bytes of UTF-8. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024;
/** Deepest nesting of arrays and objects in a frame or body. */
export const MAX_FRAME_DEPTH = 128;

/** The query parameter of a connection URL that announces what a client understands, comma-separated. */
export const CAPABILITY_PARAM = "chat-capabilities";
/** `delta`: bounded first page and `cf_agent_chat_tail` instead of full lists. `cursor`: an ACK may carry `after`. */
export const CAPABILITIES = ["delta", "cursor"] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Ids are stored as UTF-8, in which half a surrogate pair is no text: two such ids could become one. */
const id = z
  .string()
  .min(1)
  .max(256)
  .refine((text) => text.isWellFormed(), "half a surrogate pair");

/** A tool that lives in the client (browser); `parameters` is a JSON Schema (draft 7). */
export const clientToolSchema = z.object({
  name: z.string().min(1).max(128),
  description: z.string().max(10_000).optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
});
export type ClientToolSchema = z.infer<typeof clientToolSchema>;

/**
 * The JSON body of a chat request, over the socket and over HTTP. Every other
 * field is the caller's own and reaches `onChatMessage` as `options.body`.
 */
export const chatBodySchema = z.looseObject({
  messages: z.array(z.unknown()).max(100_000),
  clientTools: z.array(clientToolSchema).max(512).optional(),
  trigger: z.enum(["submit-message", "regenerate-message"]).optional(),
  messageId: id.optional().nullable(),
});
export type ChatBody = z.infer<typeof chatBodySchema>;

/** What a user message may consist of; other parts of a posted message are dropped. */
const userPartSchema = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({
    type: z.literal("file"),
    mediaType: z.string().min(1).max(256),
    filename: z.string().max(1024).optional(),
    // What a model and a page can be given; no `javascript:`, no address that means something on one machine only.
    url: z.string().regex(/^(https?:\/\/.|data:[^,]*,)/i),
  }),
  z.object({ type: z.string().regex(/^data-./), id: id.optional(), data: z.unknown() }),
]);

/** A message a client may add: role `user`, an id, parts. Unknown parts and reserved metadata are dropped by intake. */
export const userMessageSchema = z.object({
  id,
  role: z.literal("user"),
  parts: z.array(z.unknown()).max(1_000),
  metadata: z.unknown().optional(),
});
export { userPartSchema };

export const clientFrameSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal(CHAT_MESSAGE_TYPES.USE_CHAT_REQUEST),
    id,
    init: z.object({ method: z.string().max(16).optional(), body: z.string() }),
  }),
  z.object({ type: z.literal(CHAT_MESSAGE_TYPES.CHAT_CLEAR) }),
  z.object({ type: z.literal(CHAT_MESSAGE_TYPES.CHAT_REQUEST_CANCEL), id }),
  z.object({
    type: z.literal(CHAT_MESSAGE_TYPES.TOOL_RESULT),
    toolCallId: id,
    toolName: z.string().max(256).optional(),
    output: z.unknown(),
    state: z.enum(["output-available", "output-error"]).optional(),
    errorText: z.string().optional(),
    autoContinue: z.boolean().optional(),
    clientTools: z.array(clientToolSchema).max(512).optional(),
  }),
  z.object({
    type: z.literal(CHAT_MESSAGE_TYPES.TOOL_APPROVAL),
    toolCallId: id,
    approved: z.boolean(),
    autoContinue: z.boolean().optional(),
  }),
  z.object({
    type: z.literal(CHAT_MESSAGE_TYPES.STREAM_RESUME_REQUEST),
    probeId: id.optional(),
    /** Ours: the client's own unfinished requests; each gets its terminal frame if it has ended, or is told unknown. */
    requests: z.array(id).max(32).optional(),
  }),
  z.object({
    type: z.literal(CHAT_MESSAGE_TYPES.STREAM_RESUME_ACK),
    id,
    /** Ours (`cursor`): the last seq the client has applied; replay starts after it. */
    after: z.number().int().min(0).optional(),
  }),
  z.object({ type: z.literal(CHAT_MESSAGE_TYPES.CHAT_MESSAGES), messages: z.array(z.unknown()) }),
]);
export type ClientFrame = z.infer<typeof clientFrameSchema>;
export type ClientFrameOf<T extends ClientFrame["type"]> = Extract<ClientFrame, { type: T }>;

/** How a request ended, on its terminal frame. */
export type TurnOutcome = "completed" | "error" | "aborted" | "skipped" | "recovering";

/** One chunk of an answer, or its end. Exactly one frame with `done: true` ends a request id. */
export const responseFrameSchema = z.object({
  type: z.literal(CHAT_MESSAGE_TYPES.USE_CHAT_RESPONSE),
  id,
  /** A JSON-encoded UI message chunk; empty on a terminal frame; the client's error text when `error`. */
  body: z.string(),
  done: z.boolean(),
  error: z.boolean().optional(),
  /** The chunk belongs to a later segment of a message the client already has. */
  continuation: z.boolean().optional(),
  /** Position in the segment, from 1. On a joined replay chunk: the last position it covers. */
  seq: z.number().int().min(1).optional(),
  /** From storage, not live. */
  replay: z.boolean().optional(),
  /** The replay has caught up; what follows is live. */
  replayComplete: z.boolean().optional(),
  outcome: z.enum(["completed", "error", "aborted", "skipped", "recovering"]).optional(),
  /** Ids of the user messages the request brought. */
  messageIds: z.array(z.string()).optional(),
  code: z.string().optional(),
  retryable: z.boolean().optional(),
});
export type ResponseFrame = Omit<z.infer<typeof responseFrameSchema>, "code"> & { code?: ErrorCode | undefined };

const messagesSchema = z.array(z.custom<UIMessage>((value) => typeof value === "object" && value !== null));

export const serverFrameSchema = z.discriminatedUnion("type", [
  responseFrameSchema,
  z.object({
    type: z.literal(CHAT_MESSAGE_TYPES.CHAT_MESSAGES),
    messages: messagesSchema,
    /** Sent because the socket opened; local unsent messages stay. */
    connect: z.boolean().optional(),
    /** Ours (`delta`): only the newest page; older ones by `GET …/get-messages?before=`. */
    hasMore: z.boolean().optional(),
  }),
  z.object({
    type: z.literal(CHAT_MESSAGE_TYPES.CHAT_TAIL),
    /** Everything behind this message (`null`: everything) is now `messages`. A client that lacks it asks for the page again. */
    after: z.string().nullable(),
    messages: messagesSchema,
    /** The first message of the path, when the server has the whole path at hand: what a client shows before it is gone. */
    first: z.string().optional(),
  }),
  z.object({ type: z.literal(CHAT_MESSAGE_TYPES.CHAT_CLEAR) }),
  z.object({ type: z.literal(CHAT_MESSAGE_TYPES.MESSAGE_UPDATED), message: messagesSchema.element }),
  z.object({
    type: z.literal(CHAT_MESSAGE_TYPES.STREAM_RESUMING),
    id,
    probeId: z.string().optional(),
    /** Ours: the last seq given out; a client that is ahead of it folds again from 0. */
    lastSeq: z.number().int().min(0).optional(),
    /** Ours: the id of the message that the running answer stands behind; others may wait behind that. */
    behind: z.string().optional(),
    continuation: z.boolean().optional(),
    /** Ours: as in `stream_resume_none`. */
    unknown: z.array(z.string()).optional(),
  }),
  z.object({
    type: z.literal(CHAT_MESSAGE_TYPES.STREAM_RESUME_NONE),
    /** `idle`: no turn is active or waiting. */
    reason: z.enum(["idle", "continuation-owned"]).optional(),
    probeId: z.string().optional(),
    /** Ours: which of the asked-for requests the server has never seen; the client may send them again. */
    unknown: z.array(z.string()).optional(),
  }),
  z.object({
    type: z.literal(CHAT_MESSAGE_TYPES.STREAM_PENDING),
    id: z.string().optional(),
    probeId: z.string().optional(),
    /** Ours: as in `stream_resume_none`. */
    unknown: z.array(z.string()).optional(),
  }),
  z.object({ type: z.literal(CHAT_MESSAGE_TYPES.CHAT_RECOVERING), recovering: z.boolean(), id: z.string().optional() }),
  z.object({
    type: z.literal(CHAT_MESSAGE_TYPES.CHAT_ERROR),
    code: z.custom<ErrorCode>((value) => typeof value === "string"),
    message: z.string(),
    toolCallId: z.string().optional(),
  }),
]);
export type ServerFrame = z.infer<typeof serverFrameSchema>;

export type ParsedFrame =
  | { readonly kind: "frame"; readonly frame: ClientFrame }
  /** Ours, but broken. `id` and `toolCallId` are what could be read of it, for the answer. */
  | {
      readonly kind: "invalid";
      readonly type: string;
      readonly problem: string;
      readonly code: Extract<ErrorCode, "bad_request" | "too_large">;
      readonly id?: string;
      readonly toolCallId?: string;
    }
  | { readonly kind: "foreign" };

const ourTypes: ReadonlySet<string> = new Set(Object.values(CHAT_MESSAGE_TYPES));
const foreign: ParsedFrame = { kind: "foreign" };

/** Reads one socket message. Never throws; binary messages and text that is not JSON are foreign. */
export function parseFrame(data: unknown): ParsedFrame {
  if (typeof data !== "string" || !looksLikeOurs(data)) return foreign;
  const problem = jsonProblem(data, MAX_FRAME_BYTES, MAX_FRAME_DEPTH);
  if (problem) return invalid(headOf(data), problem.text, problem.code);
  const value = parseJson(data);
  if (!isRecord(value) || typeof value["type"] !== "string" || !ourTypes.has(value["type"])) return foreign;
  const parsed = clientFrameSchema.safeParse(value);
  return parsed.success
    ? { kind: "frame", frame: parsed.data }
    : invalid(value, z.prettifyError(parsed.error), "bad_request");
}

/** The typed frame in `data`, or null for everything else: junk, foreign and broken frames. Never throws. */
export function parseProtocolMessage(data: unknown): ClientFrame | null {
  const parsed = parseFrame(data);
  return parsed.kind === "frame" ? parsed.frame : null;
}

/** Reads the JSON body of a chat request. */
export function parseChatBody(
  text: string,
): { ok: true; body: ChatBody } | { ok: false; problem: string; code: "bad_request" | "too_large" } {
  const limit = jsonProblem(text, MAX_FRAME_BYTES, MAX_FRAME_DEPTH);
  if (limit) return { ok: false, problem: limit.text, code: limit.code };
  const value = parseJson(text);
  if (value === undefined) return { ok: false, problem: "the body is not JSON", code: "bad_request" };
  const parsed = chatBodySchema.safeParse(value);
  return parsed.success
    ? { ok: true, body: parsed.data }
    : { ok: false, problem: z.prettifyError(parsed.error), code: "bad_request" };
}

/** The capabilities announced in a connection URL. Unknown words are ignored. */
export function parseCapabilities(url: string | null): ReadonlySet<Capability> {
  const words =
    url === null || !URL.canParse(url) ? [] : (new URL(url).searchParams.get(CAPABILITY_PARAM) ?? "").split(",");
  return new Set(CAPABILITIES.filter((capability) => words.includes(capability)));
}

/** Cheap test before any parsing: other people's frames must not pay for our schemas. */
function looksLikeOurs(data: string): boolean {
  return data.includes("cf_agent_");
}

/** What can be read of a frame that is too large or too deep to parse: its type and id near the front. */
function headOf(data: string): Record<string, unknown> {
  const head = data.slice(0, 1024);
  return {
    type: /"type"\s*:\s*"(cf_agent_\w+)"/.exec(head)?.[1] ?? "",
    id: /"id"\s*:\s*"([^"\\]{1,256})"/.exec(head)?.[1],
  };
}

function invalid(value: Record<string, unknown>, problem: string, code: "bad_request" | "too_large"): ParsedFrame {
  const { id: frameId, toolCallId } = value;
  return {
    kind: "invalid",
    type: String(value["type"]),
    problem,
    code,
    ...(typeof frameId === "string" && frameId.length <= 256 ? { id: frameId } : {}),
    ...(typeof toolCallId === "string" && toolCallId.length <= 256 ? { toolCallId } : {}),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
