/** Calls `run` once, later. */
export type Schedule = (run: () => void) => void;

/** Before the next paint; in a page that nobody sees, and where nothing is painted, within 50 ms. */
export const nextFrame: Schedule = (run) => {
  const isPainted = typeof document !== "undefined" && document.visibilityState === "visible";
  if (isPainted) requestAnimationFrame(run);
  else setTimeout(run, 50);
};
