/**
 * A language model that needs no network and says so.
 *
 * It follows a script: the scenes of `demo/scenes.ts`, and whatever tools it is
 * given when they are asked for in plain words. The same prompt gives the same
 * answer; only the ids of tool calls are new each time, and the scene that fails
 * on request ends well when one model is asked for it again.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { generateId } from "ai";
import type { Beat } from "./demo/beats.ts";
import { finishReasonOf, humanPace, playBeats, usageOf } from "./demo/play-beats.ts";
import { reply } from "./demo/reply.ts";

export interface DemoModelOptions {
  /** Milliseconds to wait after a word. Default: 30 to 60, and a little longer after punctuation. */
  readonly pace?: (word: string) => number;
  /** Ids of tool calls; each must be new. Default: random. */
  readonly generateId?: () => string;
}

export function demoModel(options: DemoModelOptions = {}): LanguageModelV4 {
  const pace = options.pace ?? humanPace;
  const answer = answering();
  const newId = options.generateId ?? (() => `call-${generateId()}`);
  return {
    specificationVersion: "v4",
    provider: "troupe",
    modelId: "demo",
    supportedUrls: {},
    async doStream(call: LanguageModelV4CallOptions) {
      const beats = answer(call);
      const cancelled = new AbortController();
      const signal = call.abortSignal ? AbortSignal.any([call.abortSignal, cancelled.signal]) : cancelled.signal;
      const parts = playBeats(beats, call.prompt, { pace, generateId: newId, signal });
      return { stream: streamOf(parts, cancelled) };
    },
    async doGenerate(call: LanguageModelV4CallOptions) {
      const beats = answer(call);
      const content = beats.flatMap((beat) => contentOf(beat, newId));
      return { content, finishReason: finishReasonOf(beats), usage: usageOf(beats, call.prompt), warnings: [] };
    },
  };
}

/** Gives the beats to play. A failure in the first place is the provider refusing the call; the last prompt refused is remembered. */
function answering(): (call: LanguageModelV4CallOptions) => readonly Beat[] {
  let refused = { prompt: "", times: 0 };
  return (call) => {
    const [first, ...rest] = reply(call);
    if (first === undefined) return [];
    if (first.type !== "fail") return [first, ...rest];
    const prompt = JSON.stringify(call.prompt);
    const times = refused.prompt === prompt ? refused.times : 0;
    if (times >= (first.times ?? Number.POSITIVE_INFINITY)) return rest;
    refused = { prompt, times: times + 1 };
    throw first.error;
  };
}

function contentOf(beat: Beat, newId: () => string): LanguageModelV4Content[] {
  switch (beat.type) {
    case "text":
    case "reasoning":
      return [beat];
    case "call":
      return [{ type: "tool-call", toolCallId: newId(), toolName: beat.toolName, input: JSON.stringify(beat.input) }];
    case "fail":
    case "hang":
      return [];
  }
}

/** Pulls one part at a time. Cancelling the stream ends the play, also in the middle of a pause. */
function streamOf(
  parts: AsyncGenerator<LanguageModelV4StreamPart>,
  cancelled: AbortController,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel(reason) {
      cancelled.abort(reason);
    },
  });
}
