import { useState } from "react";
import type { FrameTap } from "../inside/frame-tap.ts";
import { InsidePanel } from "../inside/inside-panel.tsx";
import { isPanelOpen } from "../inside/panel-state.ts";
import { Sheet } from "../shell/sheet.tsx";
import { useStored } from "../shell/stored-value.ts";
import { useMediaQuery } from "../shell/use-media-query.ts";

export interface PanelState {
  readonly isOpen: boolean;
  /** Whether it stands beside the conversation, not over it. */
  readonly isBeside: boolean;
  readonly toggle: () => void;
}

/** Beside the conversation the panel stays as it was left; over it, it is closed to begin with. */
export function usePanel(): PanelState {
  const isBeside = useMediaQuery("(min-width: 75rem)");
  const isOpenBeside = useStored(isPanelOpen);
  const [isOpenOver, setIsOpenOver] = useState(false);
  return isBeside
    ? { isBeside, isOpen: isOpenBeside, toggle: () => isPanelOpen.update((isOpen) => !isOpen) }
    : { isBeside, isOpen: isOpenOver, toggle: () => setIsOpenOver(!isOpenOver) };
}

interface PanelProps {
  readonly name: string;
  readonly tap: FrameTap;
  readonly isBusy: boolean;
  readonly isEmpty: boolean;
  readonly panel: PanelState;
}

export function Panel({ name, tap, isBusy, isEmpty, panel }: PanelProps) {
  if (!panel.isOpen) return null;
  const content = (onClose: () => void) => <InsidePanel {...{ name, tap, isBusy, isEmpty, onClose }} />;
  return panel.isBeside ? (
    <aside className="panel" aria-label="Inside">
      {content(panel.toggle)}
    </aside>
  ) : (
    <Sheet side="right" label="Inside" onClose={panel.toggle}>
      {content}
    </Sheet>
  );
}
