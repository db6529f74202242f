/** What the demo model can be told to do: one row per request, the first that matches is played. */
import { APICallError } from "ai";
import { type Beat, type DemoTool, say } from "./beats.ts";
import { INTRODUCTION, MARKDOWN, STORY } from "./texts.ts";

export interface Scene {
  readonly pattern: RegExp;
  /** What to type, and what comes of it, for the help text. */
  readonly hint?: readonly [request: string, effect: string];
  readonly play: (tools: readonly DemoTool[]) => readonly Beat[];
}

const RECOVERED = "This time it worked. I had failed only because you asked me to.";

/** Commands come before tools, so that every tool set leaves them reachable. */
export const scenes: readonly Scene[] = [
  { pattern: /^\s*(?:help|\?)|what can you do/i, play: (tools) => [say(helpText(tools))] },
  {
    pattern: /\bstory\b/i,
    hint: ["tell me a long story", "about 400 words, at reading pace; press stop or reload in the middle"],
    play: () => [say(STORY)],
  },
  {
    pattern: /\bmarkdown\b|\bcode block\b/i,
    hint: ["show me markdown", "a list, a table and a code block"],
    play: () => [say(MARKDOWN)],
  },
  {
    pattern: /\bfail (?:half|mid)way\b/i,
    hint: ["fail halfway", "an answer that breaks off with an error"],
    play: () => [say("This answer starts well, and then "), { type: "fail", error: providerError(500) }],
  },
  {
    pattern: /\bfail please\b|\bplease fail\b/i,
    hint: ["fail please", "an error before the first word; try again, and it works"],
    play: () => [{ type: "fail", error: providerError(500, NEVER_RETRIED), times: 1 }, say(RECOVERED)],
  },
  {
    pattern: /\brate limit\b/i,
    hint: ["rate limit", "the provider refuses with status 429"],
    play: () => [{ type: "fail", error: providerError(429) }],
  },
  {
    pattern: /\bcontext overflow\b/i,
    hint: ["context overflow", "the provider says that the conversation is too long"],
    play: () => [{ type: "fail", error: providerError(400) }],
  },
  {
    pattern: /^\s*hang\b(?! on)/i,
    hint: ["hang", "silence, until somebody presses stop"],
    play: () => [{ type: "hang" }],
  },
  { pattern: /\bsay nothing\b|\bempty answer\b/i, hint: ["say nothing", "an answer without content"], play: () => [] },
];

const failures = {
  400: ["This model's maximum context length is exceeded.", "context_length_exceeded"],
  429: ["Rate limit reached for the demo model.", "rate_limit_exceeded"],
  500: ["The demo model fails because you asked it to.", "server_error"],
} as const;

/** The AI SDK would ask again twice, seconds later, before it tells anybody: here the person is told at once. */
const NEVER_RETRIED = { isRetryable: false };

function providerError(
  statusCode: keyof typeof failures,
  options: { readonly isRetryable?: boolean } = {},
): APICallError {
  const [message, code] = failures[statusCode];
  return new APICallError({
    message,
    url: "demo:",
    requestBodyValues: {},
    statusCode,
    responseBody: JSON.stringify({ error: { message, code } }),
    data: { error: { message, code } },
    ...options,
  });
}

function helpText(tools: readonly DemoTool[]): string {
  const toolLines = tools.map(({ name, description }) => `- \`${name}\`: ${description ?? "no description"}`);
  const hints = scenes.flatMap(({ hint }) => (hint ? [`- "${hint[0]}": ${hint[1]}`] : []));
  return [
    INTRODUCTION,
    toolLines.length > 0
      ? `I can call the tools I am given, when you ask for them in plain words:\n\n${toolLines.join("\n")}`
      : "I was given no tools.",
    `Several at once ("… and …") or one after the other ("…, then …") work too. Or try one of these:\n\n${hints.join("\n")}\n- "think about …": reasoning before the answer\n- "what did I say?": what I can see of our conversation\n- a picture or a text file: what I can tell of it`,
  ].join("\n\n");
}
