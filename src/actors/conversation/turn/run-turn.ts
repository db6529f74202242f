/**
 * One segment of a turn: asks for an answer and passes its chunks on, until it
 * ends. A free function over ports; what models, tools and overrides throw
 * becomes a value here, so that it never rejects.
 *
 *   answer ─▶ start · chunk* · [error | abort] ─▶ SegmentEnd
 *
 * Every stream that is passed on begins with `start` under the turn's message
 * id. Error and abort chunks are never passed on; the end tells them.
 */
import type { UIMessageChunk } from "ai";
import { errorText, TroupeError } from "../../../shared/errors.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { ChatResult } from "../contract.ts";
import { chunksOf, type OnStreamError } from "./chat-result.ts";

export type SegmentEnd =
  | { readonly kind: "completed"; readonly answered: boolean }
  | { readonly kind: "failed"; readonly error: unknown; readonly stage: "turn" | "stream" }
  | { readonly kind: "aborted" };

export interface TurnLimits {
  /** Milliseconds without a chunk, outside of tool calls, after which the model counts as silent; 0 turns it off. */
  readonly stallMs: number;
  /** Largest answer of a segment, in characters of chunk JSON. */
  readonly maxChars: number;
}

export interface TurnPorts {
  readonly messageId: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly limits: TurnLimits;
  /** The override point `onChatMessage`, bound to this segment. */
  answer(): Promise<ChatResult> | ChatResult;
  /** Takes a chunk over: fold, store, broadcast, in this order. A promise asks the loop to wait. */
  emit(chunk: UIMessageChunk): { readonly chars: number; readonly settled: Promise<void> | null };
}

/** Runs one segment. Never rejects; returns soon after the signal fires, even if the model ignores it. */
export async function runTurn(ports: TurnPorts): Promise<SegmentEnd> {
  const watch = watchSegment(ports);
  try {
    if (ports.signal.aborted) return { kind: "aborted" };
    const result = await watch.race(Promise.resolve(ports.answer()));
    const failures: unknown[] = [];
    const chunks = chunksOf(result, keepError(failures));
    return chunks === null ? { kind: "completed", answered: false } : await pump(chunks, failures, ports, watch);
  } catch (error) {
    return endOf(error, "turn", ports.signal);
  } finally {
    watch.stop();
  }
}

async function pump(
  chunks: AsyncIterable<UIMessageChunk>,
  failures: readonly unknown[],
  ports: TurnPorts,
  watch: SegmentWatch,
): Promise<SegmentEnd> {
  const iterator = chunks[Symbol.asyncIterator]();
  let started = false;
  let chars = 0;
  let failure: SegmentEnd | null = null;
  try {
    for (;;) {
      const next = await watch.race(iterator.next());
      if (next.done === true) return endOfStream(failure, ports.signal);
      const chunk = next.value;
      watch.saw(chunk);
      if (chunk.type === "abort") return { kind: "aborted" };
      if (chunk.type === "error") {
        // Providers may go on behind an error; what they still say is kept, and the turn fails at the end.
        failure ??= failed(failures.at(-1) ?? new TroupeError("model_error", "The answer failed."), "stream");
        continue;
      }
      for (const out of stamped(chunk, started, ports.messageId)) {
        const emitted = ports.emit(out);
        chars += emitted.chars;
        if (emitted.settled !== null) await emitted.settled;
      }
      started = true;
      if (chars > ports.limits.maxChars) return failed(tooMuch(ports.limits.maxChars), "stream");
    }
  } catch (error) {
    return endOf(error, "stream", ports.signal);
  } finally {
    // Not awaited: a source that ignores its signal may never answer.
    void (async () => iterator.return?.())().catch(() => undefined);
  }
}

function endOfStream(failure: SegmentEnd | null, signal: AbortSignal): SegmentEnd {
  if (signal.aborted) return { kind: "aborted" };
  return failure ?? { kind: "completed", answered: true };
}

/** The chunk as it is passed on: `start` carries the turn's message id, and a stream without one gets one. */
function stamped(chunk: UIMessageChunk, started: boolean, messageId: string): UIMessageChunk[] {
  if (chunk.type === "start") return started ? [] : [{ ...chunk, messageId }];
  return started ? [chunk] : [{ type: "start", messageId }, chunk];
}

interface SegmentWatch {
  /** The promise, or a rejection as soon as the segment is aborted or the model has been silent for too long. One at a time. */
  race<T>(promise: Promise<T>): Promise<T>;
  saw(chunk: UIMessageChunk): void;
  stop(): void;
}

/**
 * Watches for the two things that end a segment from outside: its signal, and silence. One timer does for all chunks:
 * when it fires too early for the chunk that is waited for now, it is set again for the rest.
 */
function watchSegment(ports: TurnPorts): SegmentWatch {
  const { clock, signal } = ports;
  const { stallMs } = ports.limits;
  const openCalls = new Set<string>();
  let interrupt: ((error: unknown) => void) | null = null;
  let sinceMs = 0;
  let stopTimer: (() => void) | null = null;
  const onAbort = (): void => interrupt?.(new TroupeError("aborted", "The turn was cancelled."));
  const arm = (ms: number): void => void (stopTimer = clock.after(ms, onTimer));
  const onTimer = (): void => {
    stopTimer = null;
    const restMs = sinceMs + stallMs - clock.now();
    if (restMs > 0) arm(restMs);
    else interrupt?.(silent(stallMs));
  };
  const disarm = (): void => {
    stopTimer?.();
    stopTimer = null;
  };
  signal.addEventListener("abort", onAbort);
  return {
    race: (promise) =>
      new Promise((resolve, reject) => {
        interrupt = reject;
        sinceMs = clock.now();
        if (stallMs > 0 && openCalls.size === 0 && stopTimer === null) arm(stallMs);
        promise.then(resolve, reject);
        if (signal.aborted) onAbort();
      }),
    saw: (chunk) => {
      if (chunk.type === "tool-input-available") {
        // A tool may take its time; only the model is expected to talk.
        openCalls.add(chunk.toolCallId);
        disarm();
      }
      if (chunk.type === "tool-output-available" && chunk.preliminary !== true) openCalls.delete(chunk.toolCallId);
      if (chunk.type === "tool-output-error" || chunk.type === "tool-output-denied") openCalls.delete(chunk.toolCallId);
    },
    stop: () => {
      signal.removeEventListener("abort", onAbort);
      disarm();
    },
  };
}

function endOf(error: unknown, stage: "turn" | "stream", signal: AbortSignal): SegmentEnd {
  return signal.aborted ? { kind: "aborted" } : failed(error, stage);
}

function failed(error: unknown, stage: "turn" | "stream"): SegmentEnd {
  return { kind: "failed", error, stage };
}

/** Keeps the errors behind `error` chunks. Failed tools come this way too: their text is the one that the model has seen. */
function keepError(failures: unknown[]): OnStreamError {
  return (error) => {
    failures.push(error);
    return errorText(error);
  };
}

function silent(ms: number): TroupeError {
  return new TroupeError("timeout", `The model has not answered for ${Math.round(ms / 1000)} seconds.`, {
    retryable: true,
  });
}

function tooMuch(maxChars: number): TroupeError {
  return new TroupeError("limit", `The answer was stopped at its limit of ${maxChars} characters.`);
}
