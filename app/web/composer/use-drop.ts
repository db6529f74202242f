import { useEffect, useRef, useState } from "react";

/** Takes files that are dropped anywhere on the page. Returns whether some are held over it. */
export function useDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  const take = useRef(onFiles);
  useEffect(() => {
    take.current = onFiles;
  });
  useEffect(() => {
    // Each element that is entered and left on the way tells so; only the first and the last count.
    let depth = 0;
    const move = (by: number) => {
      depth = Math.max(0, depth + by);
      setIsOver(depth > 0);
    };
    const onEnter = (event: DragEvent) => (hasFiles(event) ? move(1) : undefined);
    const onLeave = (event: DragEvent) => (hasFiles(event) ? move(-1) : undefined);
    const onOver = (event: DragEvent) => (hasFiles(event) ? event.preventDefault() : undefined);
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      move(-depth);
      take.current([...(event.dataTransfer?.files ?? [])]);
    };
    const gone = new AbortController();
    const { signal } = gone;
    addEventListener("dragenter", onEnter, { signal });
    addEventListener("dragleave", onLeave, { signal });
    addEventListener("dragover", onOver, { signal });
    addEventListener("drop", onDrop, { signal });
    return () => gone.abort();
  }, []);
  return isOver;
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") === true;
}
