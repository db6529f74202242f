import { useState } from "react";
import { onNewConversationClick } from "../route.ts";
import { Icon } from "../shell/icons.tsx";
import { useStored } from "../shell/stored-value.ts";
import { ThemeButton } from "../shell/theme-button.tsx";
import { RecentItem } from "./recent-item.tsx";
import { recent } from "./recent-store.ts";

interface SidebarProps {
  /** The name of the conversation that is open. */
  readonly current: string;
  /** Called when another one was opened. */
  readonly onOpen?: () => void;
  /** Given where the sidebar can be closed. */
  readonly onClose?: () => void;
}

const nothing = () => undefined;

/** Where one begins something new, or finds again what this browser remembers. */
export function Sidebar({ current, onOpen = nothing, onClose }: SidebarProps) {
  const list = useStored(recent);
  const [openedAtMs] = useState(Date.now);
  const nowMs = Math.max(openedAtMs, list[0]?.atMs ?? 0);
  return (
    <nav className="sidebar" aria-label="Conversations">
      <header>
        <p className="brand">
          <img src="/icon.svg" alt="" width="22" height="22" /> Troupe
        </p>
        <ThemeButton />
        {onClose === undefined ? null : (
          <button type="button" className="bare" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </header>
      <a className="button new" href="/" onClick={(event) => onNewConversationClick(event, onOpen)}>
        <Icon name="plus" /> New conversation
      </a>
      {list.length === 0 ? (
        <p className="hint">Conversations of this browser appear here once something was said in them.</p>
      ) : (
        <>
          <h2>Recent</h2>
          <ul>
            {list.map((entry) => (
              <RecentItem
                key={entry.name}
                entry={entry}
                nowMs={nowMs}
                isCurrent={entry.name === current}
                onOpen={onOpen}
              />
            ))}
          </ul>
        </>
      )}
    </nav>
  );
}
