/**
 * Files of a message as a prompt can carry them. The SDK decodes `data:` URLs
 * on their way to the model; one that does not decode would fail this turn and,
 * as it stays in the transcript, each one after it.
 */
import type { UIMessage } from "ai";
import { mapParts } from "../../../shared/message-parts.ts";

/** `message` with a note in the place of each file whose `data:` URL is not base64 that decodes. The same message when all do. */
export function withReadableFiles(message: UIMessage): UIMessage {
  return mapParts(message, (part) =>
    part.type !== "file" || isReadable(part.url)
      ? part
      : { type: "text", text: `(the file ${part.filename ?? "without a name"} cannot be read)` },
  );
}

function isReadable(url: string): boolean {
  if (!/^data:/i.test(url)) return true;
  const comma = url.indexOf(",");
  const isBase64 = comma !== -1 && /;base64$/i.test(url.slice(0, comma));
  return isBase64 && decodes(url.slice(comma + 1));
}

/** Either alphabet of base64, as the SDK takes it. */
function decodes(base64: string): boolean {
  try {
    atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
    return true;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}
