/**
 * The messages of the model server: a tree in order of storing, whose newest
 * message ends the path that clients see, and a window at its end, which a turn
 * that answers an older message moves.
 */
import type { UIMessage } from "ai";

/** A page of messages, oldest first, and whether there are older ones. */
export interface ModelPage {
  readonly messages: UIMessage[];
  readonly hasMore: boolean;
}

interface Stored {
  readonly message: UIMessage;
  readonly parent: string | null;
}

export class ModelTranscript {
  /** How many messages the window holds at most, whole turns. */
  readonly #windowSize: number;
  readonly #rows: Stored[] = [];
  #head: string | null = null;

  constructor(windowSize: number) {
    this.#windowSize = windowSize;
  }

  find(id: string): UIMessage | undefined {
    return this.#row(id)?.message;
  }

  /** The path that clients see, oldest first. */
  path(end = this.#rows.at(-1)?.message.id ?? null): UIMessage[] {
    const path: UIMessage[] = [];
    for (let row = this.#row(end); row !== undefined; row = this.#row(row.parent)) path.unshift(row.message);
    return path;
  }

  /** The newest whole turns of the path that ends at the head. */
  window(): readonly UIMessage[] {
    const path = this.path(this.#head);
    const isTooLong = (at: number) => path.length - at > this.#windowSize;
    let start = path.length;
    for (let at = path.length - 1; at >= 0 && (start === path.length || !isTooLong(at)); at--) {
      if (path[at]?.role === "user" || at === 0) start = at;
    }
    return path.slice(start);
  }

  get isPartial(): boolean {
    return this.window().length < this.path(this.#head).length;
  }

  get head(): string | null {
    return this.#head;
  }

  /** Lets the window end at this message, until something is stored or `reload`. */
  show(id: string): void {
    this.#head = id;
  }

  reload(): void {
    this.#head = this.#rows.at(-1)?.message.id ?? null;
  }

  append(message: UIMessage): void {
    this.#rows.push({ message, parent: this.#head });
    this.#head = message.id;
  }

  /** Changes a stored message in place. */
  update(message: UIMessage): void {
    const at = this.#rows.findIndex((row) => row.message.id === message.id);
    const row = this.#rows[at];
    if (row !== undefined) this.#rows[at] = { ...row, message };
  }

  /** Keeps the newest messages; says whether any went. */
  trim(limit: number): boolean {
    return this.#rows.splice(0, Math.max(0, this.#rows.length - limit)).length > 0;
  }

  clear(): void {
    this.#rows.length = 0;
    this.#head = null;
  }

  newest(limit: number): ModelPage {
    return pageOf(this.path(), limit);
  }

  /** Null when there is no such message. */
  before(id: string, limit: number): ModelPage | null {
    const row = this.#row(id);
    return row === undefined ? null : pageOf(row.parent === null ? [] : this.path(row.parent), limit);
  }

  #row(id: string | null): Stored | undefined {
    return this.#rows.find((row) => row.message.id === id);
  }
}

function pageOf(path: UIMessage[], limit: number): ModelPage {
  return { messages: path.slice(-limit), hasMore: path.length > limit };
}
