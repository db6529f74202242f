/**
 * What the StreamBuffer promises: the chunks of running and recent streams,
 * kept in order, each under its `seq`, until retention drops them.
 *
 * A stream is one segment of one turn. Its id is chosen by the caller and is
 * unique across every conversation that shares the buffer. A `seq` counts
 * from 1 and is never used twice with other content.
 */
import type { UIMessageChunk } from "ai";

/**
 * One stored chunk. `from` and `to` are the seqs it covers: equal for a chunk
 * that stands alone; a run of neighbouring deltas of one part is stored joined,
 * and `cuts` then holds the length (UTF-16 units) of each joined delta, one for
 * each seq, so that a reader inside the run gets just the rest. In `cuts` a
 * negative number -n says that the next length stands n times; at most 4,096
 * deltas are joined. `frames.ts` joins and cuts entries.
 */
export interface ChunkEntry {
  readonly from: number;
  readonly to: number;
  readonly chunk: UIMessageChunk;
  readonly cuts?: readonly number[];
}

/** How a stream ended. */
export type StreamEnd = { readonly kind: "finished" } | { readonly kind: "failed"; readonly message: string };

export interface AppendRequest {
  readonly streamId: string;
  /** Contiguous, ascending. May be empty when only `end` is told. */
  readonly entries: readonly ChunkEntry[];
  readonly end?: StreamEnd;
  /** Now, in epoch milliseconds; decides retention. */
  readonly atMs: number;
}

/**
 * `stored`: everything up to `lastSeq` is durable. Repeating an append is
 * harmless, the last one with its end too: entries the buffer already has are
 * skipped, and cost no write if nothing is left.
 * `gap`: the entries do not follow `lastSeq`; nothing was written.
 * `ended`: the stream has ended before, and the request has an entry or another
 * end to add; nothing was written.
 */
export type AppendResult = { readonly status: "stored" | "gap" | "ended"; readonly lastSeq: number };

export interface ReadRequest {
  readonly streamId: string;
  /** Read what comes after this seq; 0 reads from the start. */
  readonly after: number;
  /** Stop before this many bytes of entries (UTF-8 JSON); at least one entry is returned. Default 256 KiB, at most 16 MiB. */
  readonly maxBytes?: number;
}

export interface ReadResult {
  /** Entries after `after`, in order, neighbouring deltas joined, the first one cut if `after` lies inside it. */
  readonly entries: readonly ChunkEntry[];
  /** The last seq stored for the stream; 0 for an unknown stream. */
  readonly lastSeq: number;
  /** Set once the stream has ended; `null` while it runs and for an unknown stream. */
  readonly end: StreamEnd | null;
  /** Whether there is more to read after the last returned entry. A read may stop early for other reasons than `maxBytes`. */
  readonly more: boolean;
}

/**
 * The verbs of the StreamBuffer actor. Every method may be repeated, and
 * rejects with a `TroupeError` `bad_request` for an argument that is not what
 * its type says; then nothing was written.
 */
export interface StreamBufferContract {
  append(request: AppendRequest): Promise<AppendResult>;
  read(request: ReadRequest): Promise<ReadResult>;
  /** `append` with no entries and the end `finished`. */
  finish(streamId: string, atMs: number): Promise<AppendResult>;
  /** `append` with no entries and the end `failed`. */
  fail(streamId: string, message: string, atMs: number): Promise<AppendResult>;
  /** Forgets these streams. Unknown ids are ignored. */
  drop(streamIds: readonly string[]): Promise<void>;
  /** Drops streams last written to before `beforeMs`; tells when the oldest remaining one was written to (`null`: none). */
  sweep(beforeMs: number): Promise<{ readonly dropped: number; readonly oldestMs: number | null }>;
}
