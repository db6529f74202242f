import { useRef } from "react";
import type { LinkState } from "troupe/client";
import { onNewConversationClick } from "../route.ts";
import type { ModelInfo } from "./use-model.ts";

interface HeaderProps {
  readonly name: string;
  readonly model: ModelInfo | null;
  readonly link: LinkState;
  readonly isEmpty: boolean;
  readonly onClear: () => void;
}

export function Header({ name, model, link, isEmpty, onClear }: HeaderProps) {
  return (
    <header className="head">
      <div className="head-title">
        <h1 title={name}>{name}</h1>
        <p className="head-state">
          <LinkBadge link={link} />
          {model === null ? null : <ModelBadge model={model} />}
        </p>
      </div>
      <nav className="head-actions" aria-label="Conversation">
        <ClearButton isDisabled={isEmpty || link !== "open"} onClear={onClear} />
        <a className="button" href="/" onClick={onNewConversationClick}>
          <span aria-hidden="true">+</span> New<span className="wide-only"> conversation</span>
        </a>
      </nav>
    </header>
  );
}

const linkWords: Readonly<Record<LinkState, string>> = {
  connecting: "Connecting",
  open: "Connected",
  closed: "Reconnecting",
  "closed-for-good": "Not connected",
};

function LinkBadge({ link }: { readonly link: LinkState }) {
  return (
    <span className="badge" data-link={link}>
      <span className="dot" aria-hidden="true" />
      {linkWords[link]}
    </span>
  );
}

function ModelBadge({ model }: { readonly model: ModelInfo }) {
  const where = model.source === "demo" ? "built in" : model.source;
  return (
    <span className="badge" data-source={model.source} title={model.note}>
      {model.source === "misconfigured" ? (
        "No model configured"
      ) : (
        <>
          <span className="wide-only">Model </span>
          {model.name} ({where})
        </>
      )}
    </span>
  );
}

function ClearButton({ isDisabled, onClear }: { readonly isDisabled: boolean; readonly onClear: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const ask = () => {
    if (dialog.current === null) return;
    // Escape leaves the value as it was.
    dialog.current.returnValue = "";
    dialog.current.showModal();
  };
  return (
    <>
      <button type="button" className="quiet" disabled={isDisabled} onClick={ask}>
        Clear
      </button>
      <dialog
        ref={dialog}
        aria-labelledby="clear-question"
        onClose={(event) => event.currentTarget.returnValue === "clear" && onClear()}
      >
        <form method="dialog">
          <h2 id="clear-question">Clear this conversation?</h2>
          <p>All its messages are deleted, for everybody who has it open. This cannot be undone.</p>
          <menu>
            <button type="submit" value="cancel" className="quiet">
              Keep it
            </button>
            <button type="submit" value="clear" className="danger">
              Clear
            </button>
          </menu>
        </form>
      </dialog>
    </>
  );
}
