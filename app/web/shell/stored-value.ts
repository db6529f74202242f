/**
 * A value that this browser keeps, the same in all its tabs. Where storage is
 * not allowed, or full, it lives as long as the page.
 */
import { useSyncExternalStore } from "react";

export class StoredValue<T> {
  readonly #key: string;
  readonly #parse: (text: string | null) => T;
  readonly #listeners = new Set<() => void>();
  /** As storage had it last, here or in another tab; only another text there is news. */
  #text: string | null;
  #value: T;

  /** `parse` reads what `JSON.stringify` wrote, and gives the default for null and for what it does not know. */
  constructor(key: string, parse: (text: string | null) => T) {
    this.#key = key;
    this.#parse = parse;
    this.#text = readStorage(key);
    this.#value = parse(this.#text);
  }

  readonly get = (): T => this.#value;

  /** Changes the value here and in the other tabs; from what it is in storage now, in case another tab was first. */
  update(change: (value: T) => T): void {
    this.#reload();
    const next = change(this.#value);
    if (next === this.#value) return;
    this.#value = next;
    const text = JSON.stringify(next);
    if (writeStorage(this.#key, text)) this.#text = text;
    this.#tell();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    const onStorage = ({ key }: StorageEvent) => (key === this.#key ? this.#reload() : undefined);
    if (this.#listeners.size === 0) this.#reload();
    this.#listeners.add(listener);
    addEventListener("storage", onStorage);
    return () => {
      this.#listeners.delete(listener);
      removeEventListener("storage", onStorage);
    };
  };

  #reload(): void {
    const text = readStorage(this.#key);
    if (text === this.#text || text === null) return;
    this.#text = text;
    this.#value = this.#parse(text);
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

export function useStored<T>(stored: StoredValue<T>): T {
  return useSyncExternalStore(stored.subscribe, stored.get);
}

function readStorage(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch (error) {
    if (error instanceof DOMException || error instanceof ReferenceError) return null;
    throw error;
  }
}

/** False where storage is full, or not allowed: the value stays with the page. */
function writeStorage(key: string, text: string): boolean {
  try {
    localStorage.setItem(key, text);
    return true;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return false;
  }
}
