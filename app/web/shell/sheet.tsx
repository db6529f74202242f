import { type ReactNode, useEffect, useRef } from "react";

interface SheetProps {
  readonly label: string;
  /** The edge it comes from. */
  readonly side: "left" | "right";
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Something from an edge over the page. Escape and a click beside it close it; the focus goes back to where it was. */
export function Sheet({ label, side, onClose, children }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="sheet"
      data-side={side}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => (event.target === event.currentTarget ? dialog.current?.close() : undefined)}
    >
      {children}
    </dialog>
  );
}
