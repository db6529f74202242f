/**
 * The running segment of a turn: one fold, one writer, its readers.
 *
 * `emit` is the only way in, and it is synchronous: store, fold, pass on, in
 * this order for everybody, so that live, stored and replayed chunks are one
 * list.
 */
import type { UIMessage, UIMessageChunk } from "ai";
import { applyChunk, type FoldState } from "../../../shared/apply-chunk.ts";
import type { SegmentWriter } from "./segment-writer.ts";
import type { TurnRecord } from "./turn-log.ts";
import type { Turn, TurnEnding } from "./turn.ts";

/** One who follows a running stream. Neither method may throw. */
export interface StreamReader {
  /** `body` is the JSON of the chunk. */
  chunk(seq: number, body: string): void;
  ended(ending: TurnEnding): void;
}

/** Borders at which a reader elsewhere must find everything stored before the turn goes on. */
const borders: ReadonlySet<UIMessageChunk["type"]> = new Set([
  "tool-output-available",
  "tool-output-error",
  "tool-output-denied",
  "tool-approval-request",
]);

export class LiveStream {
  readonly record: TurnRecord;
  readonly requestId: string;
  readonly continuation: boolean;
  readonly writer: SegmentWriter;
  readonly readers: Set<StreamReader>;
  /** The turn as the answers that came while the segment ran have changed it; null when none came. */
  answers: Turn | null = null;
  /** How many parts the answer had before this segment. */
  readonly earlierParts: number;
  #fold: FoldState;

  constructor(options: {
    record: TurnRecord;
    writer: SegmentWriter;
    fold: FoldState;
    readers: Iterable<StreamReader>;
  }) {
    this.record = options.record;
    this.requestId = options.record.requestId;
    this.continuation = options.record.segment > 1;
    this.writer = options.writer;
    this.readers = new Set(options.readers);
    this.earlierParts = options.fold.message.parts.length;
    this.#fold = options.fold;
  }

  get message(): UIMessage {
    return this.#fold.message;
  }

  get fold(): FoldState {
    return this.#fold;
  }

  /** Throws for a chunk that is not JSON, before anything of it is kept. */
  emit(chunk: UIMessageChunk): { chars: number; settled: Promise<void> | null } {
    const body = JSON.stringify(chunk);
    const seq = this.writer.write(chunk, body);
    this.#fold = applyChunk(this.#fold, chunk);
    for (const reader of this.readers) reader.chunk(seq, body);
    return { chars: body.length, settled: borders.has(chunk.type) ? this.writer.flush() : this.writer.backpressure() };
  }
}
