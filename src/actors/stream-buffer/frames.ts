/**
 * Entries of a stream as values: made, joined and cut, without storage.
 *
 * Invariant: however entries are joined and wherever they are cut, the deltas
 * of each seq come out as they went in.
 */
import type { UIMessageChunk } from "ai";
import { deltaOf, joinChunks, withDelta } from "../../shared/join-deltas.ts";
import { utf8Bytes } from "../../shared/json-limits.ts";
import type { ChunkEntry } from "./contract.ts";
import { decodeCuts, encodeCuts, measureCuts } from "./cuts.ts";

/** Text of one joined entry, in bytes of UTF-8; a single longer delta stays whole. */
export const MAX_JOINED_BYTES = 32 * 1024;
/** Deltas in one joined entry. */
export const MAX_JOINED_DELTAS = 4096;

/** The entry of a chunk that stands alone. */
export function entryOf(seq: number, chunk: UIMessageChunk): ChunkEntry {
  return { from: seq, to: seq, chunk };
}

/** The same chunks in as few entries as the limits allow: neighbouring deltas of one part become one entry. */
export function joinEntries(entries: Iterable<ChunkEntry>, maxBytes = MAX_JOINED_BYTES): ChunkEntry[] {
  const joiner = new EntryJoiner(maxBytes);
  for (const entry of entries) joiner.add(entry);
  return joiner.entries();
}

/** What `entries` says after the seq `after`; an entry that covers `after` is cut behind it. */
export function entriesAfter(entries: readonly ChunkEntry[], after: number): ChunkEntry[] {
  const first = entries.findIndex((entry) => entry.to > after);
  if (first === -1) return [];
  const rest = entries.slice(first);
  rest[0] = cutEntry(rest[0] as ChunkEntry, after);
  return rest;
}

/** Whether the entry keeps the promises of `ChunkEntry`; asked before foreign entries are stored. */
export function isSoundEntry({ from, to, chunk, cuts }: ChunkEntry): boolean {
  if (from === to) return cuts === undefined;
  const delta = deltaOf(chunk);
  const size = measureCuts(cuts ?? []);
  const seqs = to - from + 1;
  return delta !== null && seqs <= MAX_JOINED_DELTAS && size?.deltas === seqs && size.units === delta.length;
}

/** A growing run of deltas; `lengths` has one number per seq. */
interface Run {
  readonly from: number;
  to: number;
  chunk: UIMessageChunk;
  readonly lengths: number[];
  bytes: number;
}

/** Joins entries one by one as they come, each in constant time. */
export class EntryJoiner {
  readonly #maxBytes: number;
  readonly #closed: ChunkEntry[] = [];
  #run: Run | null = null;

  constructor(maxBytes = MAX_JOINED_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Takes the next entry; it follows the ones before. */
  add(entry: ChunkEntry): void {
    const delta = deltaOf(entry.chunk);
    if (delta === null) {
      this.#closeRun();
      this.#closed.push(entry);
      return;
    }
    const lengths = entry.cuts ? decodeCuts(entry.cuts) : [delta.length];
    const run = { from: entry.from, to: entry.to, chunk: entry.chunk, lengths, bytes: utf8Bytes(delta) };
    if (this.#run && extend(this.#run, run, this.#maxBytes)) return;
    this.#closeRun();
    this.#run = run;
  }

  /** Everything taken so far, in order. */
  entries(): ChunkEntry[] {
    return this.#run ? [...this.#closed, entryOfRun(this.#run)] : [...this.#closed];
  }

  #closeRun(): void {
    if (this.#run) this.#closed.push(entryOfRun(this.#run));
    this.#run = null;
  }
}

/** Adds `next` to `run` if both are one part's and the limits allow; tells whether it did. */
function extend(run: Run, next: Run, maxBytes: number): boolean {
  if (next.from !== run.to + 1 || run.bytes + next.bytes > maxBytes) return false;
  if (run.lengths.length + next.lengths.length > MAX_JOINED_DELTAS) return false;
  const chunk = joinChunks(run.chunk, next.chunk);
  if (chunk === null) return false;
  run.to = next.to;
  run.chunk = chunk;
  run.lengths.push(...next.lengths);
  run.bytes += next.bytes;
  return true;
}

function entryOfRun({ from, to, chunk, lengths }: Run): ChunkEntry {
  return from === to ? { from, to, chunk } : { from, to, chunk, cuts: encodeCuts(lengths) };
}

function cutEntry(entry: ChunkEntry, after: number): ChunkEntry {
  const delta = deltaOf(entry.chunk);
  if (entry.from > after || delta === null || entry.cuts === undefined) return entry;
  const lengths = decodeCuts(entry.cuts);
  const covered = after - entry.from + 1;
  const start = lengths.slice(0, covered).reduce((sum, length) => sum + length, 0);
  return entryOfRun({
    from: after + 1,
    to: entry.to,
    chunk: withDelta(entry.chunk, delta.slice(start)),
    lengths: lengths.slice(covered),
    bytes: 0,
  });
}
