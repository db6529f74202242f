/**
 * The one read path of a stream: catch up after a seq, from the StreamBuffer
 * and then from what is still in memory.
 *
 * Invariant: a reader never goes on behind a gap without being told. Where the
 * buffer has lost chunks or cannot be read, a reader that has nothing yet gets
 * the message as it is now instead; for one that has a part of it `isWhole` is
 * false.
 */
import { errorText } from "../../../shared/errors.ts";
import { logWarning } from "../../../shared/platform/log.ts";
import type { ChunkEntry, ReadResult, StreamBufferContract, StreamEnd } from "../../stream-buffer/contract.ts";
import type { SegmentWriter } from "../turn/segment-writer.ts";
import { chunksOfFold, type Folded } from "./snapshot.ts";

export interface StreamSource {
  readonly streamId: string;
  /** Reaches the actor anew on each call. */
  readonly buffer: Pick<StreamBufferContract, "read">;
  /** The writer while the stream runs; null for one that has ended. */
  readonly writer: Pick<SegmentWriter, "lastSeq" | "storedSeq" | "tail"> | null;
  /** What the stream has folded to by now; null when there is nothing of it. */
  folded(): Folded | null;
}

export interface CaughtUp {
  /** The last seq that was delivered. */
  readonly seq: number;
  /** Whether everything from `after` to here, or to the end of an ended stream, was delivered. */
  readonly isWhole: boolean;
  /** How the stream ended, as far as the buffer knows. */
  readonly end: StreamEnd | null;
}

/**
 * Delivers every entry after `after` in order. `attach` is called in the same
 * synchronous stretch as the last delivery, when nothing that the writer has is
 * missing (or `isWhole` is false): who attaches there to the running stream
 * misses nothing and gets nothing twice. Never rejects.
 */
export async function catchUp(
  source: StreamSource,
  after: number,
  deliver: (entries: readonly ChunkEntry[]) => void,
  attach: (caughtUp: CaughtUp) => void = () => undefined,
): Promise<CaughtUp> {
  const { writer } = source;
  let seq = after;
  let isWhole = true;
  let end: StreamEnd | null = null;
  const take = (entries: readonly ChunkEntry[]): boolean => {
    if (entries.length > 0) deliver(entries);
    seq = entries.at(-1)?.to ?? seq;
    return entries.length > 0;
  };
  const isBehind = (): boolean => writer === null || seq < writer.storedSeq;
  while (isBehind()) {
    const page = await readPage(source, seq);
    isWhole = page !== null && isComplete(page, source);
    if (!isWhole && seq === 0 && take(snapshot(source))) {
      isWhole = true;
      break;
    }
    // Of an answer that the list has whole, a part would pass for all of it: its end alone is told.
    if (!isWhole && writer === null && source.folded() !== null) break;
    end = page?.end ?? null;
    const isMore = take(page?.entries ?? []) && (writer !== null || page?.more === true);
    if (!isMore) break;
  }
  if (isWhole) take(writer?.tail(seq) ?? []);
  const caughtUp = { seq, isWhole, end };
  attach(caughtUp);
  return caughtUp;
}

/** One page; null when the buffer cannot be read, also at the second try. */
async function readPage({ buffer, streamId }: StreamSource, after: number): Promise<ReadResult | null> {
  for (let triesLeft = 1; ; triesLeft--) {
    try {
      return await buffer.read({ streamId, after });
    } catch (error) {
      logWarning("stream.not-read", { streamId, after, triesLeft, error: errorText(error) });
      if (triesLeft === 0) return null;
    }
  }
}

/** Whether the buffer has what it should: of a running stream all that was stored, of an ended one the end, unless it never said anything. */
function isComplete(page: ReadResult, { writer, folded }: StreamSource): boolean {
  if (writer !== null) return page.entries.length > 0;
  return page.end !== null || (page.lastSeq === 0 && folded() === null);
}

/** The message as it is now, numbered so that it reaches to the last seq that was given out. */
function snapshot({ writer, folded }: StreamSource): ChunkEntry[] {
  const now = folded();
  const chunks = now === null ? [] : chunksOfFold(now);
  const entries = chunks.map((chunk, at) => ({ from: at + 1, to: at + 1, chunk }));
  const last = entries.pop();
  return last === undefined ? [] : [...entries, { ...last, to: Math.max(last.to, writer?.lastSeq ?? 0) }];
}
