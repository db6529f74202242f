/** What the AI SDK alone makes of a recording: its chunks, its message, and what it sends for the next request. */
import { convertToModelMessages, isStepCount, streamText, type UIMessage, type UIMessageChunk } from "ai";
import { MAX_STEPS, SYSTEM } from "./conversation-under-test.ts";
import { type ProviderName, providers, toolsFor } from "./providers.ts";

/** Recordings do what real models do; the SDK need not warn about it. */
globalThis.AI_SDK_LOG_WARNINGS = false;

/** What clients are told of an error of a provider. */
export const ERROR_TEXT = "The model failed.";

export function userMessage(id: string, text: string): UIMessage {
  return { id, role: "user", parts: [{ type: "text", text }] };
}

/** Runs one turn of `provider` at `baseURL` over `messages` and gives the chunks of its answer. */
export async function chunksBySdk(
  provider: ProviderName,
  baseURL: string,
  messages: readonly UIMessage[],
): Promise<UIMessageChunk[]> {
  const result = streamText({
    model: providers[provider].open(baseURL),
    instructions: SYSTEM,
    messages: await convertToModelMessages([...messages]),
    tools: toolsFor(provider),
    stopWhen: isStepCount(MAX_STEPS),
    maxRetries: 0,
    onError: () => undefined,
  });
  const chunks: UIMessageChunk[] = [];
  const stream = result.toUIMessageStream({
    sendSources: true,
    generateMessageId: () => "answer",
    onError: () => ERROR_TEXT,
  });
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}
