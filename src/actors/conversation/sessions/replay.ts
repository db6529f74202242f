/**
 * The one read path of a stream: catch up after a seq, from the StreamBuffer
 * and then from what is still in memory. Where the buffer cannot tell the
 * stream, the message itself is replayed in its place.
 */
import { errorText } from "../../../shared/errors.ts";
import type { FoldState } from "../../../shared/apply-chunk.ts";
import { logWarning } from "../../../shared/platform/log.ts";
import type { ChunkEntry, ReadRequest, ReadResult, StreamBufferContract } from "../../stream-buffer/contract.ts";
import type { SegmentWriter } from "../turn/segment-writer.ts";
import { snapshotEntries } from "./snapshot.ts";

export interface StreamSource {
  readonly streamId: string;
  readonly buffer: Pick<StreamBufferContract, "read">;
  /** The writer while the stream runs; null for one that has ended. */
  readonly writer: Pick<SegmentWriter, "storedSeq" | "lastSeq" | "tail"> | null;
  /** Whether a restart cut it: then it ends where the buffer does, and its end was never stored. */
  readonly isCut: boolean;
  /** The message as it is now: what to replay when the buffer cannot be read. */
  fold(): FoldState | null;
}

/** `lost`: the reader has a beginning whose rest cannot be read; it has to begin again from nothing. */
export type CatchUp = "caught-up" | "lost";
export type Deliver = (entries: readonly ChunkEntry[]) => void;

/**
 * Delivers every entry after `after` in order. `attach` is called in the same
 * synchronous stretch as the last delivery, when nothing that the writer has is
 * missing: who attaches there to the running stream misses nothing and gets
 * nothing twice. Never rejects.
 */
export async function catchUp(
  source: StreamSource,
  after: number,
  deliver: Deliver,
  attach: (outcome: CatchUp) => void = () => undefined,
): Promise<void> {
  let seq = after;
  const take: Deliver = (entries) => {
    if (entries.length > 0) deliver(entries);
    seq = entries.at(-1)?.to ?? seq;
  };
  const problem = await readStored(source, after, take);
  if (problem === null) {
    take(source.writer?.tail(seq) ?? []);
    return attach("caught-up");
  }
  logWarning("stream.replay-from-message", { streamId: source.streamId, problem });
  const fold = seq === 0 ? source.fold() : null;
  if (fold !== null) take(snapshotEntries(fold, source.writer?.lastSeq ?? 0));
  attach(fold === null && seq > 0 ? "lost" : "caught-up");
}

/** Delivers what is stored; returns why the buffer cannot tell all of it, or null. Never rejects. */
async function readStored(source: StreamSource, after: number, deliver: Deliver): Promise<string | null> {
  const { writer } = source;
  try {
    for (let seq = after; ;) {
      if (writer !== null && seq >= writer.storedSeq) return null;
      const page = await readTwice(source.buffer, { streamId: source.streamId, after: seq });
      // Of a stream that retention has dropped there is nothing to tell: its message stands in the list.
      const isUnfinished = writer === null && page.end === null && page.lastSeq > 0;
      if (isUnfinished && !source.isCut) return "the end was never stored";
      deliver(page.entries);
      seq = page.entries.at(-1)?.to ?? seq;
      if (page.entries.length === 0 || (!page.more && writer === null)) return null;
    }
  } catch (error) {
    return errorText(error);
  }
}

/** A read, tried once more when it fails: the actor may just have lost its memory. */
export async function readTwice(buffer: Pick<StreamBufferContract, "read">, request: ReadRequest): Promise<ReadResult> {
  try {
    return await buffer.read(request);
  } catch (error) {
    logWarning("stream.read-again", { streamId: request.streamId, error: errorText(error) });
    return buffer.read(request);
  }
}
