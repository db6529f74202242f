/** Plays beats as the parts of a provider's stream, word by word, at a pace. */
import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Beat, Prompt } from "./beats.ts";

export interface Stage {
  /** How long to wait before a word, in milliseconds; 0 does not wait at all. */
  readonly pace: (word: string) => number;
  /** Gives each tool call its id, which must be new in the whole conversation. */
  readonly generateId: () => string;
  /** Ends the play at once, with the signal's reason. */
  readonly signal: AbortSignal;
}

/** 30 to 60 ms a word, longer after punctuation: about as fast as one reads. */
export function humanPace(word: string): number {
  const pause = /[.!?:]\s*$/.test(word) ? 180 : /[,;]\s*$/.test(word) ? 80 : 0;
  return Math.min(60, 30 + 3 * word.trim().length) + pause;
}

export async function* playBeats(
  beats: readonly Beat[],
  prompt: Prompt,
  stage: Stage,
): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  for (const [index, beat] of beats.entries()) {
    switch (beat.type) {
      case "text":
      case "reasoning":
        yield* playWords(beat.type, beat.text, String(index), stage);
        break;
      case "call":
        yield* playCall(beat, stage);
        break;
      case "fail":
        yield { type: "error", error: beat.error };
        yield { type: "finish", usage: usageOf(beats, prompt), finishReason: { unified: "error", raw: "error" } };
        return;
      case "hang":
        await pause(Number.POSITIVE_INFINITY, stage.signal);
    }
  }
  yield { type: "finish", usage: usageOf(beats, prompt), finishReason: finishReasonOf(beats) };
}

async function* playWords(kind: "text" | "reasoning", text: string, id: string, { pace, signal }: Stage) {
  yield { type: `${kind}-start` as const, id };
  for (const delta of text.match(/\S+\s*|^\s+/g) ?? []) {
    yield { type: `${kind}-delta` as const, id, delta };
    await pause(pace(delta), signal);
  }
  yield { type: `${kind}-end` as const, id };
}

const INPUT_PIECE = 12;

async function* playCall(
  { toolName, input }: Extract<Beat, { type: "call" }>,
  { pace, signal, generateId }: Stage,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const id = generateId();
  const json = JSON.stringify(input);
  yield { type: "tool-input-start", id, toolName };
  for (let at = 0; at < json.length; at += INPUT_PIECE) {
    const delta = json.slice(at, at + INPUT_PIECE);
    yield { type: "tool-input-delta", id, delta };
    await pause(pace(delta), signal);
  }
  yield { type: "tool-input-end", id };
  yield { type: "tool-call", toolCallId: id, toolName, input: json };
}

/** Why the answer ended. */
export function finishReasonOf(beats: readonly Beat[]): LanguageModelV4FinishReason {
  return beats.some(({ type }) => type === "call")
    ? { unified: "tool-calls", raw: "tool_calls" }
    : { unified: "stop", raw: "stop" };
}

/** A token is four characters here. */
export function usageOf(beats: readonly Beat[], prompt: Prompt): LanguageModelV4Usage {
  const tokens = (type: Beat["type"]) =>
    Math.ceil(JSON.stringify(beats.filter((beat) => beat.type === type)).length / 4);
  const input = Math.ceil(JSON.stringify(prompt).length / 4);
  const [text, reasoning, calls] = [tokens("text"), tokens("reasoning"), tokens("call")];
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: text + reasoning + calls, text: text + calls, reasoning },
  };
}

/** Waits, or rejects with the signal's reason. Without a wait it still notices an abort. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(signal.reason as unknown);
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = ms === Number.POSITIVE_INFINITY ? null : setTimeout(done, ms);
    function done() {
      signal.removeEventListener("abort", stop);
      resolve();
    }
    function stop() {
      if (timer !== null) clearTimeout(timer);
      reject(signal.reason as unknown);
    }
    signal.addEventListener("abort", stop, { once: true });
  });
}
