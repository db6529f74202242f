/**
 * Joins neighbouring deltas at the earliest point: around the model itself.
 *
 * The first delta of a part passes at once; those that follow within one
 * display frame travel as one. Anything else flushes what is held, also the
 * end and a failure, so nothing is lost and order never changes. A burst then
 * costs frames, not tokens, in the loop, on the wire, in storage and in the
 * browser.
 */
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { type LanguageModel, type LanguageModelMiddleware, wrapLanguageModel } from "ai";
import type { Clock } from "../../../shared/clock.ts";

/** Default window in milliseconds: one frame of a display. */
export const DEFAULT_JOIN_MS = 16;
/** Where timers come late, because the isolate has more to do than time, windows grow up to this many milliseconds. */
export const MAX_JOIN_MS = 512;
/** A window that closed later than this many milliseconds tells that the isolate does not keep up. */
const LATE_MS = 8;
/** A joined delta is passed on when it has grown to this many characters, so that none outgrows a frame or a row. */
const MAX_JOINED_CHARS = 16_384;

type Delta = Extract<LanguageModelV4StreamPart, { type: "text-delta" | "reasoning-delta" | "tool-input-delta" }>;
type Parts = ReadableStream<LanguageModelV4StreamPart>;

/** The model, with deltas joined over `ms`; 0 and models given by name are returned as they are. */
export function joiningModel(model: LanguageModel, ms: number, clock: Clock): LanguageModel {
  if (ms <= 0 || typeof model === "string" || model.specificationVersion !== "v4") return model;
  const middleware: LanguageModelMiddleware = {
    specificationVersion: "v4",
    wrapStream: async ({ doStream }) => {
      const { stream, ...rest } = await doStream();
      return { ...rest, stream: joinDeltas(stream, ms, clock) };
    },
  };
  return wrapLanguageModel({ model, middleware });
}

/** The same parts with deltas joined. A failure of `source` arrives as its last part, behind everything that came before it. */
export function joinDeltas(source: Parts, ms: number, clock: Clock): Parts {
  const reader = source.getReader();
  let joiner: DeltaJoiner;
  return new ReadableStream({
    start: (controller) => {
      joiner = new DeltaJoiner(ms, clock, (part) => controller.enqueue(part));
    },
    pull: async (controller) => {
      try {
        for (let passed = false; !passed;) {
          const { done, value } = await reader.read();
          if (done) {
            joiner.close();
            controller.close();
            return;
          }
          passed = joiner.take(value);
        }
      } catch (error) {
        // Erroring the stream would drop what is queued; an error part stands behind it.
        joiner.close();
        controller.enqueue({ type: "error", error });
        controller.close();
      }
    },
    cancel: async (reason) => {
      joiner.discard();
      await reader.cancel(reason);
    },
  });
}

/** Holds deltas of one part while its window is open. */
class DeltaJoiner {
  readonly #ms: number;
  readonly #clock: Clock;
  readonly #pass: (part: LanguageModelV4StreamPart) => void;
  #held: Delta | null = null;
  #window: { readonly key: string; readonly close: () => void } | null = null;

  constructor(ms: number, clock: Clock, pass: (part: LanguageModelV4StreamPart) => void) {
    this.#ms = ms;
    this.#clock = clock;
    this.#pass = pass;
  }

  /** Takes one part; true when something was passed on. */
  take(part: LanguageModelV4StreamPart): boolean {
    const key = isDelta(part) && part.providerMetadata === undefined ? `${part.type} ${part.id}` : null;
    if (key === null || this.#window?.key !== key) {
      this.close();
      this.#pass(part);
      if (key !== null) this.#open(key);
      return true;
    }
    this.#held =
      this.#held === null ? (part as Delta) : { ...this.#held, delta: this.#held.delta + (part as Delta).delta };
    return this.#held.delta.length >= MAX_JOINED_CHARS && this.#flush();
  }

  /** Passes on what is held and closes the window. */
  close(): void {
    this.#window?.close();
    this.#window = null;
    this.#flush();
  }

  /** Forgets what is held: nobody reads any more. */
  discard(): void {
    this.#held = null;
    this.close();
  }

  #open(key: string, window: JoinWindow = { ms: this.#ms, isBehind: false }): void {
    const dueMs = this.#clock.now() + window.ms;
    const close = this.#clock.after(window.ms, () => {
      this.#window = null;
      // What came in the window goes out, and what follows it is joined again.
      if (this.#flush()) this.#open(key, nextWindow(this.#ms, window, this.#clock.now() - dueMs));
    });
    this.#window = { key, close };
  }

  #flush(): boolean {
    const held = this.#held;
    this.#held = null;
    if (held !== null) this.#pass(held);
    return held !== null;
  }
}

/** How long deltas are joined, and whether the window before closed late. */
export interface JoinWindow {
  readonly ms: number;
  readonly isBehind: boolean;
}

/**
 * The window behind one that closed so late. Fewer and larger deltas are what lets a busy isolate keep up: late windows
 * are followed by longer ones, the second in a row by one of twice the delay, since one late timer alone is a pause and
 * no load. In time, they shrink slowly: each step back is more work for everybody.
 */
export function nextWindow(leastMs: number, { ms, isBehind }: JoinWindow, lateMs: number): JoinWindow {
  const isLate = lateMs > LATE_MS;
  const wanted = isLate ? Math.max(ms * 1.5, isBehind ? lateMs * 2 : 0) : ms * 0.9;
  return { ms: Math.max(leastMs, Math.min(wanted, MAX_JOIN_MS)), isBehind: isLate };
}

function isDelta(part: LanguageModelV4StreamPart): part is Delta {
  return part.type === "text-delta" || part.type === "reasoning-delta" || part.type === "tool-input-delta";
}
