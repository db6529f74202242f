/** The newest frames of a conversation's socket, for people who want to see them. Pure: a log in, a log out. */

export type Direction = "sent" | "received";

export interface LoggedFrame {
  /** Counts the frames of the log from 1. */
  readonly number: number;
  readonly direction: Direction;
  /** The `type` of the frame; `open`, `close` and `other` for what is none of the chat protocol. */
  readonly type: string;
  readonly atMs: number;
  /** Bytes of UTF-8 on the wire. */
  readonly bytes: number;
  /** The frame, or its beginning. */
  readonly text: string;
}

export interface FrameLog {
  readonly frames: readonly LoggedFrame[];
  /** How many there have been, those that are gone included. */
  readonly count: number;
}

export const emptyLog: FrameLog = { frames: [], count: 0 };

/** So many are kept; the oldest go. */
export const MAX_FRAMES = 400;
/** Of a longer frame only the beginning is kept. */
export const MAX_FRAME_CHARS = 12_000;

const encoder = new TextEncoder();

export function logFrame(log: FrameLog, direction: Direction, text: string, atMs: number): FrameLog {
  const frame = {
    number: log.count + 1,
    direction,
    type: typeOf(text),
    atMs,
    bytes: encoder.encode(text).byteLength,
    text: text.length > MAX_FRAME_CHARS ? ownCopy(text.slice(0, MAX_FRAME_CHARS)) : text,
  };
  return add(log, frame);
}

/** Notes that the socket opened or closed. */
export function logEvent(log: FrameLog, type: "open" | "close", text: string, atMs: number): FrameLog {
  return add(log, { number: log.count + 1, direction: "received", type, atMs, bytes: 0, text });
}

function add(log: FrameLog, frame: LoggedFrame): FrameLog {
  return { frames: [...log.frames, frame].slice(-MAX_FRAMES), count: log.count + 1 };
}

/** Our frames carry their type in front; only small ones of others are parsed for it. */
function typeOf(text: string): string {
  const inFront = /^\{[^{}]{0,400}?"type"\s*:\s*"([^"]{1,80})"/.exec(text)?.[1];
  if (inFront !== undefined) return inFront;
  const type = text.length < 2_000 ? parsed(text)?.["type"] : undefined;
  return typeof type === "string" ? type : "other";
}

/** A part of a string may keep all of it in memory; a copy does not. */
function ownCopy(text: string): string {
  return new TextDecoder().decode(encoder.encode(text));
}

/** The type without what all of them begin with. */
export function shortType(type: string): string {
  return type.replace(/^cf_(?:agent_)?(?:use_)?/, "");
}

/** The name of a frame in its row. */
export function labelOf({ type, text }: LoggedFrame): string {
  if (type === "open") return "Socket opened";
  return type === "close" ? `Socket closed. ${text}` : shortType(type);
}

/** Whether a row shows the words, or its full type has them, in whatever case. No words are in every frame. */
export function hasWords(frame: LoggedFrame, words: string): boolean {
  const wanted = words.trim().toLowerCase();
  return wanted === "" || `${labelOf(frame)} ${gistOf(frame)}\n${frame.type}`.toLowerCase().includes(wanted);
}

/** What a frame says in a few words: of an answer the chunk, of a list its length. Empty when its type says it all. */
export function gistOf({ text }: LoggedFrame): string {
  const frame = parsed(text);
  if (frame === null) return "";
  const seq = typeof frame["seq"] === "number" ? `${frame["seq"]} ` : "";
  if (frame["done"] === true) return `done, ${String(frame["outcome"] ?? "")}`;
  if (frame["replayComplete"] === true) return "replay complete";
  if (typeof frame["body"] === "string") return seq + chunkGist(frame["body"]);
  if (Array.isArray(frame["messages"]))
    return frame["messages"].length === 1 ? "1 message" : `${frame["messages"].length} messages`;
  return typeof frame["id"] === "string" ? frame["id"].slice(0, 12) : "";
}

function chunkGist(body: string): string {
  const chunk = parsed(body);
  if (chunk === null) return "";
  const said = chunk["delta"] ?? chunk["inputTextDelta"] ?? chunk["toolName"];
  return `${String(chunk["type"])}${typeof said === "string" ? ` ${JSON.stringify(said)}` : ""}`;
}

/** The frame with the JSON texts inside it opened, for reading. */
export function readable({ text }: LoggedFrame): string {
  const frame = parsed(text);
  if (frame === null) return text.length >= MAX_FRAME_CHARS ? `${text}\n…` : text;
  const body = typeof frame["body"] === "string" ? (parsed(frame["body"]) ?? frame["body"]) : undefined;
  return JSON.stringify(body === undefined ? frame : { ...frame, body }, null, 2);
}

function parsed(text: string): Record<string, unknown> | null {
  if (!text.startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch (error) {
    // A long frame of which only the beginning was kept.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
