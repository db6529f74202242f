/** A user message of what `sendMessage` is given. */
import type { FileUIPart, UIMessage } from "ai";
import { newId } from "../new-id.ts";
import type { NewMessage } from "./agent-chat-options.ts";

/** The message; null when it says nothing. Only files of the browser's own kind take a moment, to be read. */
export function newMessage(given: NewMessage): UIMessage | null | Promise<UIMessage | null> {
  const { metadata } = given;
  const id = ("id" in given ? given.id : undefined) ?? newId();
  const whole = (parts: UIMessage["parts"]): UIMessage | null => {
    const isEmpty = parts.every((part) => part.type === "text" && part.text.trim() === "");
    return isEmpty ? null : { id, role: "user", parts, ...(metadata === undefined ? {} : { metadata }) };
  };
  if ("parts" in given) return whole(given.parts);
  const text = given.text === undefined || given.text === "" ? [] : [{ type: "text" as const, text: given.text }];
  const files = given.files ?? [];
  if (isList(files)) return whole([...files, ...text]);
  return Promise.all(Array.from(files, readFile)).then((read) => whole([...read, ...text]));
}

function isList(files: FileList | readonly FileUIPart[]): files is readonly FileUIPart[] {
  return Array.isArray(files);
}

function readFile(file: File): Promise<FileUIPart> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("error", () => reject(reader.error ?? new Error("The file cannot be read.")));
    reader.addEventListener("load", () =>
      resolve({ type: "file", mediaType: file.type, filename: file.name, url: String(reader.result) }),
    );
    reader.readAsDataURL(file);
  });
}
