import { MAX_PICTURE_BYTES, mediaTypeOf } from "./attachment-limits.ts";

/** The longer side of a picture that was made smaller, in pixels: as much as models look at. */
const LONGEST_SIDE = 2_048;
const QUALITY = 0.85;

/**
 * A picture that is over the limit, as a camera makes them, comes back smaller, as a JPEG. Everything else comes back
 * as it is, and so does what the browser cannot draw.
 */
export async function fitPicture(file: File): Promise<File> {
  const isPicture = mediaTypeOf({ name: file.name, type: file.type, bytes: file.size })?.kind === "picture";
  if (!isPicture || file.size <= MAX_PICTURE_BYTES) return file;
  const blob = await drawnSmaller(file);
  return blob === null ? file : new File([blob], file.name.replace(/\.[^.]*$/, "") + ".jpg", { type: "image/jpeg" });
}

async function drawnSmaller(file: File): Promise<Blob | null> {
  try {
    const picture = await createImageBitmap(file);
    const scale = Math.min(1, LONGEST_SIDE / Math.max(picture.width, picture.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(picture.width * scale));
    canvas.height = Math.max(1, Math.round(picture.height * scale));
    canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY));
  } catch (error) {
    // Broken, or of a kind that this browser does not draw.
    if (error instanceof DOMException) return null;
    throw error;
  }
}
