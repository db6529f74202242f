import { type ReactNode, useLayoutEffect, useState } from "react";

interface SheetProps {
  readonly label: string;
  /** The edge it comes from. */
  readonly side: "left" | "right";
  /** Called once it has closed; it is to be taken away then. */
  readonly onClose: () => void;
  /** What is in it, given the way to close it. */
  readonly children: (close: () => void) => ReactNode;
}

/** Something from an edge over the page. Escape and a click beside it close it; the focus goes back to where it was. */
export function Sheet({ label, side, onClose, children }: SheetProps) {
  const [dialog, setDialog] = useState<HTMLDialogElement | null>(null);
  useLayoutEffect(() => {
    if (dialog?.open === false) dialog.showModal();
  }, [dialog]);
  const close = () => dialog?.close();
  return (
    <dialog
      ref={setDialog}
      className="sheet"
      data-side={side}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => (event.target === event.currentTarget ? close() : undefined)}
    >
      {children(close)}
    </dialog>
  );
}
