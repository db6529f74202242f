/**
 * The Conversation's side of the StreamBuffer: takes the chunks of one segment
 * as they come and stores them in batches.
 *
 * One append is under way at a time and in order; what is written meanwhile
 * goes out as one batch behind it, so no gap can occur. Every chunk is in
 * memory until it is known to be stored: what the buffer has and `tail`
 * together are everything. If the buffer fails, the turn goes on from memory.
 */
import type { UIMessageChunk } from "ai";
import type { Clock } from "../../../shared/clock.ts";
import { TroupeError } from "../../../shared/errors.ts";
import { deltaOf } from "../../../shared/join-deltas.ts";
import type { AppendRequest, ChunkEntry, StreamBufferContract, StreamEnd } from "../../stream-buffer/contract.ts";
import { entriesAfter, entryOf, joinEntries } from "../../stream-buffer/frames.ts";
import { Outbox, type FlushLimits } from "./outbox.ts";
import {
  isBatchDue,
  isKeeping,
  isSending,
  newWriterState,
  nextWriterState,
  type WriterEvent,
  type WriterState,
} from "./writer-state.ts";

export type { FlushLimits } from "./outbox.ts";

export const DEFAULT_FLUSH_LIMITS: FlushLimits = { ms: 250, bytes: 64 * 1024, chunks: 256 };

export interface SegmentWriterOptions {
  readonly streamId: string;
  /** Reaches the actor anew on each call: a stub that broke when its actor died would break the second try as well. */
  readonly buffer: Pick<StreamBufferContract, "append">;
  readonly clock: Clock;
  readonly limits?: FlushLimits;
  /** Called once when the buffer has refused a batch, or failed twice at it; from then on nothing more is sent. May not throw. */
  onDegraded(error: unknown): void;
}

export class SegmentWriter {
  readonly #options: SegmentWriterOptions;
  readonly #limits: FlushLimits;
  #state: WriterState = newWriterState;
  #outbox = new Outbox();
  /** The append under way; `settled` resolves when it is over, well or not, and the next one has begun. */
  #flight: { readonly entries: readonly ChunkEntry[]; readonly settled: Promise<void> } | null = null;
  #stopTimer: (() => void) | null = null;

  constructor(options: SegmentWriterOptions) {
    this.#options = options;
    this.#limits = options.limits ?? DEFAULT_FLUSH_LIMITS;
  }

  /** The last seq given out; 0 before the first chunk. */
  get lastSeq(): number {
    return this.#state.lastSeq;
  }

  /** Everything up to here is known to be stored. */
  get storedSeq(): number {
    return this.#state.storedSeq;
  }

  /** Whether nothing more is sent: the buffer has refused a batch, or everything was discarded. */
  get hasGivenUp(): boolean {
    return !isSending(this.#state);
  }

  /**
   * Gives the chunk the next seq and keeps it until it is stored; a batch goes
   * out when a limit is reached. What is kept is the chunk as it is now. A
   * chunk written after `end` or `discard` gets a seq and is not kept. `json`
   * is `JSON.stringify(chunk)` if the caller has it. Throws for a chunk that
   * is not JSON, before anything has changed.
   */
  write(chunk: UIMessageChunk, json?: string): number {
    const kept = snapshot(chunk, json);
    this.#apply({ kind: "chunk-written" });
    if (!isKeeping(this.#state)) return this.lastSeq;
    this.#outbox.add(entryOf(this.lastSeq, kept.chunk), kept.bytes);
    if (!isSending(this.#state)) return this.lastSeq;
    if (this.#outbox.isFull(this.#limits)) this.#askForFlush();
    else this.#stopTimer ??= this.#options.clock.after(this.#limits.ms, () => this.#askForFlush());
    return this.lastSeq;
  }

  /** Sends what is there now. Resolves when everything written so far is stored or the writer has given up; never rejects. */
  async flush(): Promise<void> {
    const target = this.lastSeq;
    this.#askForFlush();
    while (this.#flight && isSending(this.#state) && this.storedSeq < target) await this.#flight.settled;
  }

  /** Sends what is there now together with the end. Resolves like `flush`; never rejects. The first end counts. */
  async end(end: StreamEnd): Promise<void> {
    this.#apply({ kind: "end-asked", end });
    this.#sendIfDue();
    while (this.#flight && isSending(this.#state)) await this.#flight.settled;
  }

  /** Null, or what to wait for before writing more: a batch is under way and the next one is already full. */
  backpressure(): Promise<void> | null {
    const isBehind = this.#flight !== null && isSending(this.#state) && this.#outbox.isFull(this.#limits);
    return isBehind ? (this.#flight?.settled ?? null) : null;
  }

  /** Forgets everything and sends nothing more; an append under way is neither called back nor repeated. */
  discard(): void {
    this.#apply({ kind: "discarded" });
    this.#disarm();
    this.#outbox = new Outbox();
  }

  /** What comes after this seq and is not yet known to be stored, in order, neighbouring deltas joined. */
  tail(after: number): readonly ChunkEntry[] {
    const unsent = this.#outbox.entries();
    if (!isSending(this.#state)) return entriesAfter(unsent, after);
    return entriesAfter(joinEntries([...(this.#flight?.entries ?? []), ...unsent]), after);
  }

  #apply(event: WriterEvent): void {
    this.#state = nextWriterState(this.#state, event);
  }

  #askForFlush(): void {
    this.#disarm();
    this.#apply({ kind: "flush-asked" });
    this.#sendIfDue();
  }

  #sendIfDue(): void {
    if (this.#flight !== null || !isBatchDue(this.#state)) return;
    this.#disarm();
    const entries = this.#outbox.entries();
    this.#outbox = new Outbox();
    this.#flight = { entries, settled: this.#send(entries, this.#state) };
  }

  async #send(entries: readonly ChunkEntry[], { lastSeq, end }: WriterState): Promise<void> {
    const { streamId, buffer, clock } = this.#options;
    const request: AppendRequest = { streamId, entries, atMs: clock.now(), ...(end && { end }) };
    let problem = await problemOf(buffer, request);
    // Repeating an append is harmless; after `discard` it would bring back what the owner drops.
    if (problem?.mayRepeat && isSending(this.#state)) problem = await problemOf(buffer, request);
    this.#flight = null;
    if (problem) this.#giveUp(problem.error, entries);
    else this.#apply({ kind: "batch-stored", lastSeq, withEnd: end !== null });
    this.#sendIfDue();
  }

  /** From here on the outbox holds everything that was never stored. */
  #giveUp(error: unknown, entries: readonly ChunkEntry[]): void {
    if (!isSending(this.#state)) return;
    this.#apply({ kind: "batch-refused" });
    this.#disarm();
    const unstored = [...entries, ...this.#outbox.entries()];
    this.#outbox = new Outbox();
    for (const entry of unstored) this.#outbox.add(entry, 0);
    this.#options.onDegraded(error);
  }

  #disarm(): void {
    this.#stopTimer?.();
    this.#stopTimer = null;
  }
}

/** The chunk as it is now, whatever its owner does to it later, and its size. */
function snapshot(chunk: UIMessageChunk, json?: string): { chunk: UIMessageChunk; bytes: number } {
  const delta = deltaOf(chunk);
  if (delta !== null) return { chunk: { ...chunk }, bytes: delta.length };
  const text = json ?? JSON.stringify(chunk);
  return { chunk: JSON.parse(text) as UIMessageChunk, bytes: text.length };
}

interface AppendProblem {
  readonly error: unknown;
  /** Whether the same append may succeed later: it failed on the way, and was not refused. */
  readonly mayRepeat: boolean;
}

/** Why the batch is not known to be stored; null when it is. Never rejects. */
async function problemOf(
  buffer: SegmentWriterOptions["buffer"],
  request: AppendRequest,
): Promise<AppendProblem | null> {
  try {
    const { status, lastSeq } = await buffer.append(request);
    if (status === "stored") return null;
    const text = `The StreamBuffer refused an append to ${request.streamId}: ${status} at ${lastSeq}.`;
    return { error: new TroupeError("internal", text), mayRepeat: false };
  } catch (error) {
    return { error, mayRepeat: true };
  }
}
