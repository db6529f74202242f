import { type KeyboardEvent, type MouseEvent, type SyntheticEvent, useState } from "react";
import { Icon } from "../shell/icons.tsx";
import { onLinkClick, pathOf } from "../route.ts";
import { forget, type RecentEntry, rename } from "./recent-list.ts";
import { recent } from "./recent-store.ts";
import { shortTime } from "./short-time.ts";

interface RecentItemProps {
  readonly entry: RecentEntry;
  readonly isCurrent: boolean;
  readonly nowMs: number;
  /** Called when it was opened. */
  readonly onOpen: () => void;
}

/** A conversation of the list: to be opened, given another title, or taken off the list. */
export function RecentItem({ entry, isCurrent, nowMs, onOpen }: RecentItemProps) {
  const [isEditing, setIsEditing] = useState(false);
  // Back from the keyboard, the focus is where it was before.
  const [takesFocus, setTakesFocus] = useState(false);
  const done = (byKey: boolean) => {
    setTakesFocus(byKey);
    setIsEditing(false);
  };
  const { name, title, atMs } = entry;
  if (isEditing) return <TitleForm entry={entry} onDone={done} />;
  return (
    <li className="recent-item" data-current={isCurrent || undefined}>
      <a
        href={pathOf(name)}
        title={title}
        aria-current={isCurrent ? "page" : undefined}
        onClick={(event) => onLinkClick(event, pathOf(name), onOpen)}
      >
        <span className="recent-title">{title}</span>
        <time dateTime={new Date(atMs).toISOString()}>{shortTime(atMs, nowMs)}</time>
      </a>
      <span className="recent-actions">
        <button
          type="button"
          className="bare"
          autoFocus={takesFocus}
          aria-label={`Rename “${title}”`}
          onClick={() => setIsEditing(true)}
        >
          <Icon name="pencil" />
        </button>
        <button
          type="button"
          className="bare"
          aria-label={`Take “${title}” off the list`}
          onClick={(event) => {
            focusNeighbour(event);
            recent.update((list) => forget(list, name));
          }}
        >
          <Icon name="close" />
        </button>
      </span>
    </li>
  );
}

/** The item goes away, and would take the focus with it: it goes to the one behind, before, or to the beginning. */
function focusNeighbour({ currentTarget }: MouseEvent): void {
  const item = currentTarget.closest("li");
  const neighbour = (item?.nextElementSibling ?? item?.previousElementSibling)?.querySelector("a");
  (neighbour ?? item?.closest("nav")?.querySelector<HTMLElement>("a.new"))?.focus();
}

function TitleForm({ entry, onDone }: { readonly entry: RecentEntry; readonly onDone: (byKey: boolean) => void }) {
  const [title, setTitle] = useState(entry.title);
  const save = (byKey: boolean) => (event: SyntheticEvent) => {
    event.preventDefault();
    recent.update((list) => rename(list, entry.name, title));
    onDone(byKey);
  };
  return (
    <li className="recent-item">
      <form onSubmit={save(true)}>
        <input
          // Whoever asks to rename writes at once.
          autoFocus
          value={title}
          maxLength={80}
          aria-label="Title"
          onFocus={(event) => event.target.select()}
          onChange={(event) => setTitle(event.target.value)}
          onBlur={save(false)}
          onKeyDown={(event) => onEscape(event, () => onDone(true))}
        />
      </form>
    </li>
  );
}

/** Escape leaves the field, and nothing around it. */
function onEscape(event: KeyboardEvent, act: () => void): void {
  if (event.key !== "Escape") return;
  event.preventDefault();
  event.stopPropagation();
  act();
}
