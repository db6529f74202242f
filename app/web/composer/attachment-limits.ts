/** What may be attached to a message: pictures and texts, so many and so large. Pure. */

/** Files of one message. */
export const MAX_FILES = 8;
/** One picture, in bytes; providers take about that much. Larger ones are made smaller first. */
export const MAX_PICTURE_BYTES = 5_000_000;
/** One text, in bytes; a prompt carries no more characters of one piece. */
export const MAX_TEXT_BYTES = 200_000;
/** All files of a message, in bytes: as base64, a third larger, they stay below the 16 MiB of a frame. */
export const MAX_TOTAL_BYTES = 11_000_000;

const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Endings of texts that browsers have no type for, or a wrong one. */
const TEXT_ENDINGS = new Set(
  "c cc conf cpp cs css csv diff env go h hpp html ini java js json jsonc jsonl jsx kt log lua md mjs patch php pl py rb rs scss sh sql svelte svg swift toml ts tsx txt vue xml yaml yml".split(
    " ",
  ),
);

/** What `accept` of a file field says. */
export const ACCEPTED = [...PICTURES, "text/*", ...[...TEXT_ENDINGS].map((ending) => `.${ending}`)].join(",");

export type FileKind = "picture" | "text";

export interface Candidate {
  readonly name: string;
  /** As the browser says; may be empty. */
  readonly type: string;
  readonly bytes: number;
}

/**
 * The media type under which a file is sent: that of a picture, or one of text; null for other files. What a vendor
 * calls his own texts, as systems have it for the ending, is plain text.
 */
export function mediaTypeOf({ name, type }: Candidate): { readonly kind: FileKind; readonly mediaType: string } | null {
  const [plain = ""] = type.toLowerCase().split(";");
  if (PICTURES.includes(plain)) return { kind: "picture", mediaType: plain };
  if (plain.startsWith("text/"))
    return { kind: "text", mediaType: plain.startsWith("text/vnd.") ? "text/plain" : plain };
  if (plain === "application/json") return { kind: "text", mediaType: plain };
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? name.toLowerCase();
  return TEXT_ENDINGS.has(ending) ? { kind: "text", mediaType: "text/plain" } : null;
}

/** Why a file cannot join those that are attached, in words that say what would do; null when it can. */
export function refusalOf(file: Candidate, attached: readonly Candidate[]): string | null {
  const type = mediaTypeOf(file);
  if (type === null) return `“${file.name}” is neither a picture (PNG, JPEG, GIF, WebP) nor a text file.`;
  if (file.bytes === 0) return `“${file.name}” is empty.`;
  const most = type.kind === "picture" ? MAX_PICTURE_BYTES : MAX_TEXT_BYTES;
  if (file.bytes > most) {
    const what = type.kind === "picture" ? "A picture" : "A text file";
    return `“${file.name}” has ${megabytes(file.bytes)}. ${what} may have ${megabytes(most)} at most.`;
  }
  if (attached.length >= MAX_FILES) return `“${file.name}” is one too many: a message takes ${MAX_FILES} files.`;
  const total = attached.reduce((sum, { bytes }) => sum + bytes, file.bytes);
  if (total > MAX_TOTAL_BYTES) {
    return `With “${file.name}” the files have ${megabytes(total)}. Together they may have ${megabytes(MAX_TOTAL_BYTES)}.`;
  }
  return null;
}

function megabytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(Math.ceil(bytes / 100_000) / 10).toFixed(1)} MB`;
}
