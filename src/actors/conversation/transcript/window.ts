/**
 * The newest whole turns of the active path, in memory, within a byte budget:
 * what `this.messages` shows and prompts are made of. Everything older stays in
 * SQLite. At least the newest turn is kept, however large.
 */
import type { UIMessage } from "ai";
import type { MessageStore, StoredMessage } from "./message-store.ts";

/** Default budget of the window, in bytes of message JSON. */
export const DEFAULT_CONTEXT_BYTES = 1_000_000;

export class TranscriptWindow {
  readonly #store: MessageStore;
  readonly #budget: () => number;
  #entries: readonly StoredMessage[] | null = null;
  #messages: readonly UIMessage[] | null = null;

  constructor(store: MessageStore, budget: () => number) {
    this.#store = store;
    this.#budget = budget;
  }

  /** The messages of the window, oldest first. The array keeps its identity until something changes. */
  messages(): UIMessage[] {
    this.#messages ??= this.entries().map((entry) => entry.message);
    return this.#messages as UIMessage[];
  }

  /** The same with their places in the tree. */
  entries(): readonly StoredMessage[] {
    return (this.#entries ??= this.#load(this.#store.leaf()));
  }

  /** The seq of the last message of the window; null when it is empty. */
  head(): number | null {
    return this.entries().at(-1)?.seq ?? null;
  }

  /** Whether older messages exist that the window leaves out. */
  isPartial(): boolean {
    const parent = this.entries()[0]?.parent ?? null;
    // A parent that was trimmed away is no longer there to be left out.
    return parent !== null && this.#store.has(parent);
  }

  /** Messages were stored behind the head. */
  append(added: readonly StoredMessage[]): void {
    if (added.length > 0) this.#set(wholeTurns([...this.entries(), ...added], this.#budget()));
  }

  /** A message was stored behind the head, or has changed where it stands. */
  put(stored: StoredMessage): void {
    const entries = this.entries();
    const at = entries.findIndex((entry) => entry.seq === stored.seq);
    if (at !== -1) this.#set(wholeTurns(entries.with(at, stored), this.#budget()));
    else if (stored.parent === this.head()) this.append([stored]);
  }

  /** Shows the path that ends at `seq` instead of the active one, until the next `show` or `reload`. */
  show(seq: number | null): void {
    const entries = this.entries();
    const at = entries.findIndex((entry) => entry.seq === seq);
    this.#set(at === -1 ? this.#load(seq) : entries.slice(0, at + 1));
  }

  /** Forgets what is in memory; the next reader loads the active path again. */
  reload(): void {
    this.#entries = null;
    this.#messages = null;
  }

  #set(entries: readonly StoredMessage[]): void {
    this.#entries = entries;
    this.#messages = null;
  }

  #load(from: number | null): readonly StoredMessage[] {
    return from === null ? [] : wholeTurns(this.#store.path(from, this.#budget()), this.#budget());
  }
}

/** The newest entries within `budget` bytes, cut so that they begin with a user message; never less than the newest turn. */
export function wholeTurns(entries: readonly StoredMessage[], budget: number): readonly StoredMessage[] {
  let bytes = 0;
  let start = entries.length;
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at];
    if (entry === undefined) break;
    bytes += entry.bytes;
    if (bytes > budget && start < entries.length) break;
    if (entry.message.role === "user" || at === 0) start = at;
  }
  return start === entries.length ? entries : entries.slice(start);
}
