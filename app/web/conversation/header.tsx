import type { LinkState } from "troupe/client";
import { Icon } from "../shell/icons.tsx";
import { ClearButton } from "./clear-button.tsx";
import type { ModelInfo } from "./use-model.ts";

interface HeaderProps {
  readonly title: string;
  readonly name: string;
  readonly model: ModelInfo | null;
  readonly link: LinkState;
  readonly isEmpty: boolean;
  readonly isPanelOpen: boolean;
  readonly onClear: () => void;
  readonly onTogglePanel: () => void;
  /** Opens the list of conversations; null where it is open already. */
  readonly onMenu: (() => void) | null;
}

export function Header({ title, name, model, link, isEmpty, isPanelOpen, onMenu, ...on }: HeaderProps) {
  return (
    <header className="head">
      {onMenu === null ? null : (
        <button type="button" className="bare" aria-label="Conversations" aria-haspopup="dialog" onClick={onMenu}>
          <Icon name="menu" />
        </button>
      )}
      <div className="head-title">
        <h1 title={`${title} (${name})`}>{title}</h1>
        <p className="head-state">
          <LinkBadge link={link} />
          {model === null ? null : <ModelBadge model={model} />}
        </p>
      </div>
      <div className="head-actions" role="group" aria-label="This conversation">
        <ClearButton isDisabled={isEmpty || link !== "open"} onClear={on.onClear} />
        <button
          type="button"
          className="quiet"
          aria-label="Inside"
          aria-pressed={isPanelOpen}
          title="What goes over the wire, and what it costs"
          onClick={on.onTogglePanel}
        >
          <Icon name="inside" /> <span className="wide-only">Inside</span>
        </button>
      </div>
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
