/** What stands in a data URL; addresses of other kinds have nothing in them. */

/** Size of the content in bytes; null for another address. */
export function bytesIn(url: string): number | null {
  const payload = payloadOf(url);
  if (payload === null) return null;
  if (!payload.isBase64) return new TextEncoder().encode(payload.text).length;
  const padding = /=*$/.exec(payload.text)?.[0].length ?? 0;
  return Math.floor((payload.text.length * 3) / 4) - padding;
}

/** The content as text, in UTF-8; null for another address and for what is no text. */
export function textIn(url: string): string | null {
  const payload = payloadOf(url);
  if (payload === null) return null;
  try {
    if (!payload.isBase64) return decodeURIComponent(payload.text);
    const bytes = Uint8Array.from(atob(payload.text), (letter) => letter.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof DOMException || error instanceof URIError || error instanceof TypeError) return null;
    throw error;
  }
}

function payloadOf(url: string): { readonly isBase64: boolean; readonly text: string } | null {
  const comma = url.indexOf(",");
  if (!url.startsWith("data:") || comma === -1) return null;
  return { isBase64: /;base64$/i.test(url.slice(0, comma)), text: url.slice(comma + 1) };
}

/** `12 bytes`, `3.4 kB`, `2.0 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
