/** What a segment has written and not yet handed over, joined as it comes: it stays small however long it waits. */
import type { ChunkEntry } from "../../stream-buffer/contract.ts";
import { EntryJoiner } from "../../stream-buffer/frames.ts";

/** When a batch goes out: whichever comes first. */
export interface FlushLimits {
  /** Age of its first chunk, in milliseconds. */
  readonly ms: number;
  /** JSON of its chunks; for a delta only its text counts. In UTF-16 units. */
  readonly bytes: number;
  readonly chunks: number;
}

export class Outbox {
  readonly #joiner = new EntryJoiner();
  #chunks = 0;
  #bytes = 0;

  /** Takes the next entry, of this size. */
  add(entry: ChunkEntry, bytes: number): void {
    this.#joiner.add(entry);
    this.#chunks += entry.to - entry.from + 1;
    this.#bytes += bytes;
  }

  isFull(limits: FlushLimits): boolean {
    return this.#bytes >= limits.bytes || this.#chunks >= limits.chunks;
  }

  entries(): ChunkEntry[] {
    return this.#joiner.entries();
  }
}
