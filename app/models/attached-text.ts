/**
 * Text files of a prompt as texts: most providers take pictures and know no
 * other files. Owns the form in which such a text names its file, and reads it
 * again. History keeps the file; only what a model sees is changed.
 */
import type { ModelMessage } from "ai";

export interface AttachedText {
  readonly name: string;
  readonly mediaType: string;
  /** Size of the file, in bytes of UTF-8. */
  readonly bytes: number;
  readonly text: string;
}

/** The messages with each text file in a data URL of theirs as a text part. Messages without one keep their identity. */
export function withTextFiles(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.map((message) => {
    if (message.role !== "user" || typeof message.content === "string") return message;
    const content = message.content.map(asText);
    return content.every((part, at) => part === message.content[at]) ? message : { ...message, content };
  });
}

type UserPart = Exclude<Extract<ModelMessage, { role: "user" }>["content"], string>[number];

function asText(part: UserPart): UserPart {
  if (part.type !== "file" || !isText(part.mediaType)) return part;
  const text = textIn(part.data);
  if (text === null) return part;
  const bytes = new TextEncoder().encode(text).length;
  const file = { name: part.filename ?? "file", mediaType: part.mediaType, bytes, text };
  return { type: "text", text: attachedText(file) };
}

const HEAD = /^Attached file ("(?:[^"\\]|\\.)*") \(([^,)]+), (\d+) bytes\):\n\n/;

export function attachedText({ name, mediaType, bytes, text }: AttachedText): string {
  return `Attached file ${JSON.stringify(name)} (${mediaType}, ${bytes} bytes):\n\n${text}`;
}

/** The file that a text part stands for; null when it is what somebody wrote. */
export function readAttachedText(part: string): AttachedText | null {
  const [head, name = "", mediaType = "", bytes = ""] = HEAD.exec(part) ?? [];
  if (head === undefined) return null;
  return { name: JSON.parse(name) as string, mediaType, bytes: Number(bytes), text: part.slice(head.length) };
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith("text/") || mediaType === "application/json";
}

/** The text in a base64 data URL, with what is no UTF-8 marked; null for other data. */
function textIn(data: Extract<UserPart, { type: "file" }>["data"]): string | null {
  const url = typeof data === "object" && "type" in data && data.type === "url" ? String(data.url) : "";
  const base64 = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
  if (base64 === undefined) return null;
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
  } catch (error) {
    // A client posts what it likes; what is no base64 stays what it is.
    if (error instanceof DOMException) return null;
    throw error;
  }
}
