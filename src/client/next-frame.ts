/** Calls `run` once, later. */
export type Schedule = (run: () => void) => void;

/** Where nothing is painted, or a page is out of sight and gets no frames, this long must do. */
const LATEST_MS = 100;

/** Before the next paint, and at the latest after 100 ms. */
export const nextFrame: Schedule = (run) => {
  let isDone = false;
  const once = () => {
    if (isDone) return;
    isDone = true;
    run();
  };
  if (typeof requestAnimationFrame === "function") requestAnimationFrame(once);
  setTimeout(once, LATEST_MS);
};

/** Calls `run` once, after so many milliseconds; returns how to prevent that. */
export function afterMs(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}
