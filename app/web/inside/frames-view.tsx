import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { Icon } from "../shell/icons.tsx";
import { type Direction, type FrameLog, hasWords } from "./frame-log.ts";
import { FrameRow } from "./frame-row.tsx";
import type { FrameTap } from "./frame-tap.ts";

/** The frames as they come and go. Paused, the list stands still while the log goes on. */
export function FramesView({ tap }: { readonly tap: FrameTap }) {
  const live = useSyncExternalStore(tap.subscribe, tap.get);
  const [held, setHeld] = useState<FrameLog | null>(null);
  const [words, setWords] = useState("");
  const [direction, setDirection] = useState<Direction | "all">("all");
  const { frames, count } = held ?? live;
  const shown = useMemo(
    () => frames.filter((frame) => (direction === "all" || frame.direction === direction) && hasWords(frame, words)),
    [frames, words, direction],
  );
  return (
    <section className="frames-view" aria-labelledby="frames-heading">
      <header>
        <h3 id="frames-heading">Frames</h3>
        <p className="hint">{shown.length === count ? count : `${shown.length} of ${count}`}</p>
        <button
          type="button"
          className="bare"
          aria-pressed={held !== null}
          aria-label="Pause"
          title={held === null ? "Pause the list" : "Go on"}
          onClick={() => setHeld(held === null ? live : null)}
        >
          <Icon name={held === null ? "pause" : "play"} />
        </button>
        <button
          type="button"
          className="bare"
          aria-label="Empty the list"
          title="Empty the list"
          onClick={() => {
            setHeld(null);
            tap.clear();
          }}
        >
          <Icon name="eraser" />
        </button>
      </header>
      <div className="frames-filter">
        <input
          type="search"
          value={words}
          placeholder="Filter"
          aria-label="Filter frames"
          onChange={(event) => setWords(event.target.value)}
        />
        <select
          value={direction}
          aria-label="Direction"
          onChange={(event) => setDirection(event.target.value as Direction | "all")}
        >
          <option value="all">Both ways</option>
          <option value="sent">Sent</option>
          <option value="received">Received</option>
        </select>
      </div>
      <FrameList key={held === null ? "live" : "held"} frames={shown} isHeld={held !== null} />
    </section>
  );
}

function FrameList({ frames, isHeld }: { readonly frames: FrameLog["frames"]; readonly isHeld: boolean }) {
  const list = useRef<HTMLOListElement>(null);
  const sticks = useRef(true);
  useEffect(() => {
    if (list.current !== null && sticks.current && !isHeld) list.current.scrollTop = list.current.scrollHeight;
  });
  if (frames.length === 0) return <p className="hint">Nothing to see.</p>;
  return (
    <ol
      ref={list}
      className="frames"
      tabIndex={0}
      aria-label="Frames, oldest first"
      onScroll={({ currentTarget: box }) => {
        sticks.current = box.scrollHeight - box.scrollTop - box.clientHeight < 30;
      }}
    >
      {frames.map((frame) => (
        <FrameRow key={frame.number} frame={frame} />
      ))}
    </ol>
  );
}
