/** Readers of turns that have not started: each joins its turn's stream from the first chunk, or is told the ending. */
import type { StreamReader } from "./live-stream.ts";

export class Followers {
  readonly #readers = new Map<string, Set<StreamReader>>();

  add(requestId: string, reader: StreamReader): void {
    const readers = this.#readers.get(requestId) ?? new Set();
    this.#readers.set(requestId, readers.add(reader));
  }

  remove(requestId: string, reader: StreamReader): void {
    this.#readers.get(requestId)?.delete(reader);
  }

  /** Hands the readers of a turn over and forgets them. */
  take(requestId: string): StreamReader[] {
    const readers = [...(this.#readers.get(requestId) ?? [])];
    this.#readers.delete(requestId);
    return readers;
  }
}
