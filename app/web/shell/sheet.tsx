import { type ReactNode, useEffect, useLayoutEffect, useState } from "react";
import { enterOverlay, leaveOverlay } from "../route.ts";

interface SheetProps {
  readonly label: string;
  /** The edge it comes from. */
  readonly side: "left" | "right";
  /** Called once it has closed; it is to be taken away then. */
  readonly onClose: () => void;
  /** What is in it, given the way to close it. */
  readonly children: (close: () => void) => ReactNode;
}

/** Something from an edge over the page. Escape, a click beside it and the way back close it; the focus goes back to where it was. */
export function Sheet({ label, side, onClose, children }: SheetProps) {
  const [dialog, setDialog] = useState<HTMLDialogElement | null>(null);
  useLayoutEffect(() => {
    if (dialog?.open === false) dialog.showModal();
  }, [dialog]);
  const close = () => dialog?.close();
  useEffect(() => {
    if (dialog !== null) enterOverlay();
  }, [dialog]);
  useEffect(() => {
    // Closed by the way back, it closes like by itself; closed before, it goes away now that it is left.
    const onBack = () => (dialog?.open ? dialog.close() : onClose());
    addEventListener("popstate", onBack);
    return () => removeEventListener("popstate", onBack);
  }, [dialog, onClose]);
  return (
    <dialog
      ref={setDialog}
      className="sheet"
      data-side={side}
      aria-label={label}
      onClose={() => (leaveOverlay() ? undefined : onClose())}
      onClick={(event) => (event.target === event.currentTarget ? close() : undefined)}
    >
      {children(close)}
    </dialog>
  );
}
