import type { SendPart } from "troupe/client";
import { readFile } from "./read-file.ts";

/** Two small files to try attachments with, as parts of a message: a picture, drawn here, and a note. */
export async function sampleParts(): Promise<SendPart[]> {
  const files = await Promise.all((await sampleFiles()).map(readFile));
  return files.flatMap((file) => {
    return file === null ? [] : [{ type: "file", mediaType: file.mediaType, filename: file.name, url: file.url }];
  });
}

async function sampleFiles(): Promise<File[]> {
  const note = new File(["Things to pack\n- a tin box\n- the whole play\n- a lamp\n"], "packing-list.md", {
    type: "text/markdown",
  });
  const picture = await drawStage();
  return picture === null ? [note] : [new File([picture], "stage.png", { type: "image/png" }), note];
}

/** A stage at night. Null where the browser draws nothing. */
function drawStage(): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [480, 320];
  const draw = canvas.getContext("2d");
  if (draw === null) return Promise.resolve(null);
  const sky = draw.createLinearGradient(0, 0, 0, 320);
  sky.addColorStop(0, "#1b1e3a");
  sky.addColorStop(1, "#6b3050");
  draw.fillStyle = sky;
  draw.fillRect(0, 0, 480, 320);
  disc(draw, [360, 80, 34], "#f4e7c5");
  draw.fillStyle = "#2a1418";
  draw.fillRect(0, 262, 480, 58);
  for (const at of [120, 190, 250, 315, 370]) {
    draw.fillRect(at - 9, 206, 18, 60);
    disc(draw, [at, 196, 11], "#2a1418");
  }
  draw.fillStyle = "#8c2f39";
  for (const [from, to] of [
    [0, 70],
    [410, 480],
  ] as const) {
    draw.fillRect(from, 0, to - from, 320);
  }
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function disc(draw: CanvasRenderingContext2D, [x, y, radius]: readonly [number, number, number], colour: string): void {
  draw.fillStyle = colour;
  draw.beginPath();
  draw.arc(x, y, radius, 0, 2 * Math.PI);
  draw.fill();
}
