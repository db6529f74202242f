/**
 * What a client may send: every frame and body, with its zod schema. The words
 * stand in `wire-words.ts`, what a server sends in `server-frames.ts`.
 *
 * A frame either parses to one of these shapes, or is ours and broken
 * (`invalid`), or is not ours (`foreign`) and belongs to the user's
 * `onMessage`. Parsing never throws. For the server: a page would pay for zod.
 */
import { z } from "zod";
import type { ErrorCode } from "./errors.ts";
import { jsonProblem } from "./json-limits.ts";
import { parseJson } from "./parse-json.ts";
import {
  CAPABILITIES,
  CAPABILITY_PARAM,
  type Capability,
  CHAT_MESSAGE_TYPES,
  MAX_FRAME_BYTES,
  MAX_FRAME_DEPTH,
} from "./wire-words.ts";

export * from "./wire-words.ts";
export type { ResponseFrame, ServerFrame } from "./server-frames.ts";

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
    output: z.unknown().optional(),
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
