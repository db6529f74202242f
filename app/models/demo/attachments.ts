/** What the demo model sees of the files that came with a message. */
import { readAttachedText } from "../attached-text.ts";
import type { Prompt } from "./beats.ts";

type Message = Prompt[number] | undefined;

/** What somebody wrote in a message, without the texts that stand for files. */
export function writtenIn(message: Message): string {
  if (message === undefined) return "";
  if (typeof message.content === "string") return message.content;
  return message.content
    .flatMap((part) => (part.type === "text" && readAttachedText(part.text) === null ? [part.text] : []))
    .join(" ");
}

/** What can be said of the files of a user message: name, type, size, and of a text its first line. Empty without files. */
export function describeFiles(message: Message): string {
  const lines = linesAbout(message);
  if (lines.length === 0) return "";
  const count = lines.length === 1 ? "one file" : `${lines.length} files`;
  return `You attached ${count}:\n\n${lines.map((line) => `- ${line}`).join("\n")}`;
}

function linesAbout(message: Message): string[] {
  if (message?.role !== "user") return [];
  return message.content.flatMap((part) => {
    if (part.type === "file") return [describe(part.filename ?? "a file", part.mediaType, bytesOf(part.data))];
    const file = readAttachedText(part.text);
    if (file === null) return [];
    const line = file.text.split("\n").find((text) => text.trim() !== "") ?? "";
    const first = line.length > 120 ? `${line.slice(0, 120)}…` : line;
    return [
      `${describe(file.name, file.mediaType, file.bytes)}. It begins with \`${first.replaceAll("`", "'").trim()}\``,
    ];
  });
}

function describe(name: string, mediaType: string, bytes: number | null): string {
  const size = bytes === null ? "" : `, ${bytes.toLocaleString("en")} bytes`;
  return `**${name}** (${mediaType}${size})`;
}

type FileData = Extract<Extract<Prompt[number], { role: "user" }>["content"][number], { type: "file" }>["data"];

/** Null for what lies elsewhere. */
function bytesOf(data: FileData): number | null {
  if (data.type === "text") return new TextEncoder().encode(data.text).length;
  if (data.type !== "data") return null;
  if (typeof data.data !== "string") return data.data.length;
  return Math.floor((data.data.length * 3) / 4) - (/=*$/.exec(data.data)?.[0].length ?? 0);
}
