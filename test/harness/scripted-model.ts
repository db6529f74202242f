/** A language model that plays a script: the only fake besides sockets. Gates let a test hold it at any point. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";

/** A part to stream, a promise to wait for, or an error to throw. */
export type Beat = LanguageModelV4StreamPart | Promise<unknown> | Error;
/** What the model does when it is called for the n-th time (from 0). */
export type Script = (call: LanguageModelV4CallOptions, n: number) => Iterable<Beat> | AsyncIterable<Beat>;

/** Something to wait for that a test opens. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: () => resolve() };
}

export class ScriptedModel implements LanguageModelV4 {
  readonly specificationVersion = "v4";
  readonly provider = "scripted";
  readonly modelId = "scripted";
  readonly supportedUrls = {};
  /** Every call, with the prompt that reached the model. */
  readonly calls: LanguageModelV4CallOptions[] = [];
  /** Which calls saw their signal fire, counted from 0. */
  readonly aborted: number[] = [];
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  doGenerate(): never {
    throw new Error("only streaming is scripted");
  }

  async doStream(call: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const n = this.calls.push(call) - 1;
    call.abortSignal?.addEventListener("abort", () => void this.aborted.push(n));
    const beats = this.#script(call, n);
    const parts = play(beats);
    return {
      stream: new ReadableStream<LanguageModelV4StreamPart>({
        pull: async (controller) => {
          const next = await parts.next();
          if (next.done === true) controller.close();
          else controller.enqueue(next.value);
        },
      }),
    };
  }
}

async function* play(beats: Iterable<Beat> | AsyncIterable<Beat>): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  for await (const beat of beats) {
    if (beat instanceof Error) throw beat;
    if (beat !== undefined) yield beat as LanguageModelV4StreamPart;
  }
}

/** One text part in these deltas; promises and errors between them are beats. */
export function* text(...deltas: (string | Promise<unknown> | Error)[]): Generator<Beat> {
  yield { type: "text-start", id: "t" };
  for (const delta of deltas) yield typeof delta === "string" ? { type: "text-delta", id: "t", delta } : delta;
  yield { type: "text-end", id: "t" };
}

/** A call of a tool, its input in one piece. */
export function* toolCall(toolCallId: string, toolName: string, input: unknown): Generator<Beat> {
  const json = JSON.stringify(input);
  yield { type: "tool-input-start", id: toolCallId, toolName };
  yield { type: "tool-input-delta", id: toolCallId, delta: json };
  yield { type: "tool-input-end", id: toolCallId };
  yield { type: "tool-call", toolCallId, toolName, input: json };
}

export function finish(unified: LanguageModelV4FinishReason["unified"] = "stop"): LanguageModelV4StreamPart {
  return {
    type: "finish",
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
  };
}

/** A whole answer of one text. */
export function* say(...deltas: (string | Promise<unknown> | Error)[]): Generator<Beat> {
  yield* text(...deltas);
  yield finish();
}
