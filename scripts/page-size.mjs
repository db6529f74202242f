/** How large what a browser loads may be, and the plugin that tells the build of the page. */
import { gzipSync } from "node:zlib";

/**
 * Bytes of JavaScript, gzipped; a size without a ceiling is only shown.
 * @typedef {{ name: string, bytes: number, ceiling: number | null }} Size
 */

/** Largest scripts, in bytes, gzipped: of the page, and of `troupe/client` with everything it needs. */
export const ceilings = { page: 350_000, client: 12_000 };

/** @param {Size} size */
export const isOver = ({ bytes, ceiling }) => ceiling !== null && bytes > ceiling;

/** @param {Size} size */
export function sizeLine(size) {
  const { name, bytes, ceiling } = size;
  const limit = ceiling === null ? "" : `  of at most ${kilobytes(ceiling)}`;
  return `  ${name.padEnd(30)}${kilobytes(bytes)}${limit}${isOver(size) ? "  ← over" : ""}`;
}

/** @param {number} bytes */
function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`.padStart(9);
}

/**
 * The scripts among the files of a build, each gzipped.
 * @param {readonly ({ type: "chunk", code: string } | { type: "asset" })[]} files
 */
export function gzippedBytes(files) {
  return files.reduce((sum, file) => sum + (file.type === "chunk" ? gzipSync(file.code).length : 0), 0);
}

/** @param {readonly ({ type: "chunk", code: string } | { type: "asset" })[]} files */
export function pageSize(files) {
  return { name: "script of the page, gzipped", bytes: gzippedBytes(files), ceiling: ceilings.page };
}

/**
 * Tells the size of the page's script when it is built, and fails when that is over its ceiling.
 * @returns {import("vite").Plugin}
 */
export function reportPageSize() {
  return {
    name: "report-page-size",
    writeBundle(_, bundle) {
      const size = pageSize(Object.values(bundle));
      if (isOver(size)) this.error(sizeLine(size));
      console.log(sizeLine(size));
    },
  };
}
