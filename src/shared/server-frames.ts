/**
 * The frames a server sends, as one small table of field shapes: the types are
 * made of it, and a client checks with it what it reads. No schema library, so
 * that a page does not load one.
 */
import type { UIMessage } from "ai";
import type { ErrorCode } from "./errors.ts";
import { isObject, parseJson } from "./parse-json.ts";
import { CHAT_MESSAGE_TYPES as T, TURN_OUTCOMES } from "./wire-words.ts";

/** Whether a field is what its frame says. One that takes `undefined` may be missing. */
type Shape<V> = (value: unknown) => value is V;

const text = (value: unknown): value is string => typeof value === "string";
const flag = (value: unknown): value is boolean => typeof value === "boolean";
const count = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;
const code = (value: unknown): value is ErrorCode => text(value);
const texts = (value: unknown): value is string[] => Array.isArray(value) && value.every(text);
const part = (value: unknown): boolean => isObject(value) && text(value["type"]) && optional(text)(value["text"]);
const message = (value: unknown): value is UIMessage =>
  isObject(value) && text(value["id"]) && Array.isArray(value["parts"]) && value["parts"].every(part);

/** What a client takes for messages: each has an id and parts that have a type. Everything else about them is their owner's. */
export const messages = (value: unknown): value is UIMessage[] => Array.isArray(value) && value.every(message);

function oneOf<const V extends string>(words: readonly V[]): Shape<V> {
  return (value): value is V => (words as readonly unknown[]).includes(value);
}

function nullable<V>(shape: Shape<V>): Shape<V | null> {
  return (value): value is V | null => value === null || shape(value);
}

function optional<V>(shape: Shape<V>): Shape<V | undefined> {
  return (value): value is V | undefined => value === undefined || shape(value);
}

/** The fields of each frame besides `type`. */
export const SERVER_FRAMES = {
  /** One chunk of an answer, or its end. Exactly one frame with `done: true` ends a request id. */
  [T.USE_CHAT_RESPONSE]: {
    id: text,
    /** A JSON-encoded UI message chunk; empty on a terminal frame; the client's error text when `error`. */
    body: text,
    done: flag,
    error: optional(flag),
    /** The chunk belongs to a later segment of a message the client already has. */
    continuation: optional(flag),
    /** Position in the segment, from 1. On a joined replay chunk: the last position it covers. */
    seq: optional(count),
    /** From storage, not live. */
    replay: optional(flag),
    /** The replay has caught up; what follows is live. */
    replayComplete: optional(flag),
    outcome: optional(oneOf(TURN_OUTCOMES)),
    /** Ids of the user messages the request brought. */
    messageIds: optional(texts),
    code: optional(code),
    retryable: optional(flag),
  },
  [T.CHAT_MESSAGES]: {
    messages,
    /** Sent because the socket opened; local unsent messages stay. */
    connect: optional(flag),
    /** Ours (`delta`): only the newest page; older ones by `GET …/get-messages?before=`. */
    hasMore: optional(flag),
  },
  [T.CHAT_TAIL]: {
    /** Everything behind this message (`null`: everything) is now `messages`. A client that lacks it asks for the page again. */
    after: nullable(text),
    messages,
    /** The first message of the path, when the server has the whole path at hand: what a client shows before it is gone. */
    first: optional(text),
  },
  [T.CHAT_CLEAR]: {},
  [T.MESSAGE_UPDATED]: { message },
  [T.STREAM_RESUMING]: {
    id: text,
    probeId: optional(text),
    /** Ours: the last seq given out; a client that is ahead of it folds again from 0. */
    lastSeq: optional(count),
    /** Ours: the id of the message that the running answer stands behind; others may wait behind that. */
    behind: optional(text),
    continuation: optional(flag),
    /** Ours: as in `stream_resume_none`. */
    unknown: optional(texts),
  },
  [T.STREAM_RESUME_NONE]: {
    /** `idle`: no turn is active or waiting. */
    reason: optional(oneOf(["idle", "continuation-owned"])),
    probeId: optional(text),
    /** Ours: which of the asked-for requests the server has never seen; the client may send them again. */
    unknown: optional(texts),
  },
  [T.STREAM_PENDING]: {
    id: optional(text),
    probeId: optional(text),
    /** Ours: as in `stream_resume_none`. */
    unknown: optional(texts),
  },
  [T.CHAT_RECOVERING]: { recovering: flag, id: optional(text) },
  [T.CHAT_ERROR]: { code, message: text, toolCallId: optional(text) },
} as const;

type Table = typeof SERVER_FRAMES;
type Value<S> = S extends Shape<infer V> ? V : never;
type OptionalKeys<F> = { [N in keyof F]: undefined extends Value<F[N]> ? N : never }[keyof F];
type Fields<F> = { [N in Exclude<keyof F, OptionalKeys<F>>]: Value<F[N]> } & {
  [N in OptionalKeys<F>]?: Value<F[N]>;
};

export type ServerFrameOf<K extends keyof Table> = { [T in K]: { type: T } & Fields<Table[T]> }[K];
export type ServerFrame = { [K in keyof Table]: ServerFrameOf<K> }[keyof Table];
export type ResponseFrame = ServerFrameOf<"cf_agent_use_chat_response">;

/** What makes `value` no frame of a server: the name of the first field that is not as it should be; null when it is one. */
export function serverFrameProblem(value: unknown): string | null {
  if (!isObject(value)) return "an object";
  const type = String(value["type"]);
  if (!Object.hasOwn(SERVER_FRAMES, type)) return "type";
  const fields: Readonly<Record<string, Shape<unknown>>> = SERVER_FRAMES[type as keyof Table];
  return Object.keys(fields).find((name) => fields[name]?.(value[name]) === false) ?? null;
}

/** The frame in a socket message; null for everything that is not one of ours. Never throws. */
export function parseServerFrame(data: unknown): ServerFrame | null {
  if (typeof data !== "string" || !data.includes("cf_agent_")) return null;
  const value = parseJson(data);
  return serverFrameProblem(value) === null ? (value as ServerFrame) : null;
}
