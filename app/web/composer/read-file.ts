import { type Candidate, type FileKind, mediaTypeOf } from "./attachment-limits.ts";

/** A file that goes with the next message. */
export interface Attachment extends Candidate {
  readonly id: number;
  readonly kind: FileKind;
  readonly mediaType: string;
  /** The content, as a data URL. */
  readonly url: string;
  /** Whether it is a picture that was too large as it was given. */
  readonly isMadeSmaller?: boolean;
}

/** Reads a file of a known type. Null when it cannot be read, or is no text although its name says so. */
export async function readFile(file: File, id: number): Promise<Attachment | null> {
  const candidate = { name: file.name, type: file.type, bytes: file.size };
  const type = mediaTypeOf(candidate);
  if (type === null || (type.kind === "text" && !(await isText(file)))) return null;
  const url = await dataUrlOf(new Blob([file], { type: type.mediaType }));
  return url === null ? null : { ...candidate, ...type, id, url };
}

/** Whether it is UTF-8 without the null characters of binary formats. */
async function isText(file: File): Promise<boolean> {
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()).includes("\0");
  } catch (error) {
    if (error instanceof TypeError || error instanceof DOMException) return false;
    throw error;
  }
}

function dataUrlOf(blob: Blob): Promise<string | null> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(typeof reader.result === "string" ? reader.result : null));
    reader.addEventListener("error", () => resolve(null));
    reader.readAsDataURL(blob);
  });
}
