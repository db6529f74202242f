import { Icon } from "../shell/icons.tsx";
import { ClearButton } from "./clear-button.tsx";
import type { Connection } from "./connection.ts";
import type { ModelInfo } from "./use-model.ts";

interface HeaderProps {
  readonly title: string;
  readonly name: string;
  readonly model: ModelInfo | null;
  readonly connection: Connection;
  readonly isEmpty: boolean;
  readonly isPanelOpen: boolean;
  readonly onClear: () => void;
  readonly onTogglePanel: () => void;
  /** Opens the list of conversations; null where it is open already. */
  readonly onMenu: (() => void) | null;
}

export function Header({ title, name, model, connection, isEmpty, isPanelOpen, onMenu, ...on }: HeaderProps) {
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
          <LinkBadge {...connection} />
          {model === null ? null : <ModelBadge model={model} />}
        </p>
      </div>
      <div className="head-actions" role="group" aria-label="This conversation">
        <ClearButton isDisabled={isEmpty || connection.tone !== "good"} onClear={on.onClear} />
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

function LinkBadge({ tone, badge }: Connection) {
  return (
    <span className="badge" data-tone={tone}>
      <span className="dot" aria-hidden="true" />
      {badge}
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
