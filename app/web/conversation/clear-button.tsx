import { useRef } from "react";
import { Icon } from "../shell/icons.tsx";

interface ClearButtonProps {
  /** Nothing can be cleared now; also counts while the question is open. */
  readonly isDisabled: boolean;
  readonly onClear: () => void;
}

/** Empties the conversation, once somebody has confirmed that. */
export function ClearButton({ isDisabled, onClear }: ClearButtonProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const ask = () => {
    if (dialog.current === null) return;
    // Escape leaves the value as it was.
    dialog.current.returnValue = "";
    dialog.current.showModal();
  };
  return (
    <>
      <button type="button" className="quiet" aria-label="Clear" title="Clear" disabled={isDisabled} onClick={ask}>
        <Icon name="trash" /> <span className="wide-only">Clear</span>
      </button>
      <dialog
        ref={dialog}
        className="question"
        aria-labelledby="clear-question"
        onClose={(event) => event.currentTarget.returnValue === "clear" && onClear()}
      >
        <form method="dialog">
          <h2 id="clear-question">Clear this conversation?</h2>
          <p>All its messages are deleted, for everybody who has it open. This cannot be undone.</p>
          <menu>
            <li>
              <button type="submit" value="cancel" className="quiet">
                Keep it
              </button>
            </li>
            <li>
              <button type="submit" value="clear" className="danger" disabled={isDisabled}>
                Clear
              </button>
            </li>
          </menu>
        </form>
      </dialog>
    </>
  );
}
