/** The one model of all subjects: says what the last user message asks for, with as little work of its own as possible. */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import { BUNCH, deltaAt, type Speech } from "../speech.ts";

/** Words that `/release` has been called with; speeches that wait for one look here. */
const released = new Set<string>();

export function release(word: string): Response {
  released.add(word);
  return new Response("released");
}

export class Speaker implements LanguageModelV4 {
  readonly specificationVersion = "v4";
  readonly provider = "bench";
  readonly modelId = "speaker";
  readonly supportedUrls = {};

  doGenerate(): never {
    throw new Error("The speaker only streams.");
  }

  async doStream({ prompt }: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    return { stream: speak(speechOf(prompt)) };
  }
}

function speechOf(prompt: LanguageModelV4Prompt): Speech {
  const asked = prompt.findLast(({ role }) => role === "user");
  const part = asked?.role === "user" ? asked.content.find(({ type }) => type === "text") : undefined;
  return JSON.parse(part?.type === "text" ? part.text : "") as Speech;
}

function speak(speech: Speech): ReadableStream<LanguageModelV4StreamPart> {
  let said = 0;
  return new ReadableStream({
    start: (controller) => {
      controller.enqueue({ type: "stream-start", warnings: [] });
      controller.enqueue({ type: "text-start", id: "t" });
    },
    pull: async (controller) => {
      if (said < speech.deltas) {
        if (speech.paceMs > 0 || (said > 0 && said % BUNCH === 0)) await scheduler.wait(speech.paceMs);
        controller.enqueue({ type: "text-delta", id: "t", delta: deltaAt(said++) });
        return;
      }
      while (speech.until !== undefined && !released.has(speech.until)) await scheduler.wait(5);
      controller.enqueue({ type: "text-end", id: "t" });
      controller.enqueue(finish);
      controller.close();
    },
  });
}

const finish: LanguageModelV4StreamPart = {
  type: "finish",
  finishReason: { unified: "stop", raw: "stop" },
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
};
