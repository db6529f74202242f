/** The whole mind of the demo model: from a prompt and the tools given to the beats of its answer. Pure. */
import type { LanguageModelV4CallOptions, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import { answerResults, isSetback } from "./answer-results.ts";
import { describeFiles, writtenIn } from "./attachments.ts";
import { type Beat, type DemoTool, type Prompt, say, think } from "./beats.ts";
import { fillInput } from "./fill-input.ts";
import { planCalls, type PlannedCall } from "./plan-calls.ts";
import { scenes } from "./scenes.ts";
import { INTRODUCTION } from "./texts.ts";

export type ReplyOptions = Pick<LanguageModelV4CallOptions, "prompt" | "tools" | "toolChoice" | "responseFormat">;

export function reply(options: ReplyOptions): readonly Beat[] {
  const { request, position } = lastRequest(options.prompt);
  const since = options.prompt.slice(position + 1);
  const results = since.flatMap(resultsIn);
  const beats =
    since.at(-1)?.role === "tool" ? afterTools(request, since, results, options) : toRequest(request, options);
  return withoutSaid(beats, since);
}

function toRequest(request: string, options: ReplyOptions): readonly Beat[] {
  const schema = options.responseFormat?.type === "json" ? options.responseFormat.schema : undefined;
  if (schema) return [say(JSON.stringify(fillInput(schema, request).input))];
  const topic = /\bthink(?:ing)? (?:hard )?about\b(.*)/is
    .exec(request)?.[1]
    ?.trim()
    .replace(/[.?!]+$/, "");
  if (topic !== undefined) return [think(reasoningAbout(topic)), ...toRequest(topic || "it", options)];
  const files = describeFiles(options.prompt.findLast(({ role }) => role === "user"));
  if (files !== "") return [say(`${files}\n\nThat is all I can make of them: a real model would look inside.`)];
  const tools = toolsOf(options);
  const scene = scenes.find(({ pattern }) => pattern.test(request));
  if (scene) return scene.play(tools);
  const [first] = planFor(request, tools, options.toolChoice);
  return first ? announce("I will use", first) : [say(smallTalk(request, options.prompt))];
}

/** After a step: the next one of the plan, or an answer about all results. A setback ends the plan. */
function afterTools(
  request: string,
  since: Prompt,
  results: readonly LanguageModelV4ToolResultPart[],
  options: ReplyOptions,
): readonly Beat[] {
  const answer = say(answerResults(results));
  if (since.slice(-1).flatMap(resultsIn).some(isSetback)) return [answer];
  const plan = planFor(request, toolsOf(options), options.toolChoice);
  const next = plan[stepsDone(plan, since)];
  return next ? announce("Next I will use", next) : [answer];
}

/** Steps of the plan that the prompt shows as done; earlier ones may have been pruned away, so names count too. */
function stepsDone(plan: readonly PlannedCall[][], since: Prompt): number {
  const steps = since.map(calledIn).filter((names) => names !== "");
  const last = steps.at(-1);
  const found = plan.findIndex(
    (calls, index) => index >= steps.length - 1 && calls.map(({ toolName }) => toolName).join() === last,
  );
  return found === -1 ? steps.length : found + 1;
}

function calledIn(message: Prompt[number]): string {
  if (message.role !== "assistant") return "";
  return message.content.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : [])).join();
}

function announce(words: string, calls: readonly PlannedCall[]): readonly Beat[] {
  const names = calls.map(({ toolName }) => `\`${toolName}\``).join(" and ");
  return [say(`${words} ${names}.`), ...calls.map((call): Beat => ({ type: "call", ...call }))];
}

function toolsOf({ tools = [], toolChoice }: ReplyOptions): DemoTool[] {
  return toolChoice?.type === "none" ? [] : tools.filter((tool) => tool.type === "function");
}

/** A tool that the caller insists on is called whether the request asks for it or not. */
function planFor(request: string, tools: readonly DemoTool[], choice: ReplyOptions["toolChoice"]): PlannedCall[][] {
  const allowed = choice?.type === "tool" ? tools.filter(({ name }) => name === choice.toolName) : tools;
  const plan = planCalls(request, allowed);
  const [first] = allowed;
  if (plan.length > 0 || !first || (choice?.type !== "tool" && choice?.type !== "required")) return plan;
  return [[{ toolName: first.name, input: fillInput(first.inputSchema, request).input }]];
}

/** The text of the newest user message and where it stands; -1 when there is none. */
function lastRequest(prompt: Prompt): { request: string; position: number } {
  const position = prompt.findLastIndex(({ role }) => role === "user");
  return { request: writtenIn(prompt[position]), position };
}

function resultsIn(message: Prompt[number]): LanguageModelV4ToolResultPart[] {
  return message.role === "tool" ? message.content.filter((part) => part.type === "tool-result") : [];
}

/** An answer that broke off in the prompt is taken up where it stopped. */
function withoutSaid(beats: readonly Beat[], since: Prompt): readonly Beat[] {
  const last = since.at(-1);
  const said = last?.role === "assistant" ? writtenIn(last) : "";
  const index = said === "" ? -1 : beats.findIndex((beat) => beat.type === "text" && beat.text.startsWith(said));
  const cut = beats[index];
  return cut?.type === "text" ? [say(cut.text.slice(said.length)), ...beats.slice(index + 1)] : beats;
}

function reasoningAbout(topic: string): string {
  return `The question is about ${topic || "nothing in particular"}. I have no knowledge to search, only a script. So the honest way is to see which of my scenes or tools fits, and to say plainly when none does. Let me look through them once more, slowly, from the first to the last.`;
}

function smallTalk(request: string, prompt: Prompt): string {
  const said = prompt.filter(({ role }) => role === "user").map((message) => `"${writtenIn(message)}"`);
  if (/\bwhat did i (?:just )?(?:say|ask)\b/i.test(request)) {
    const earlier = said.slice(0, -1);
    return earlier.length > 0
      ? `I can see ${earlier.length} earlier message(s) of yours. The last was ${earlier.at(-1)}.`
      : "This is the first thing you said.";
  }
  return `${INTRODUCTION} You said ${said.at(-1) ?? "nothing"}, and I have no scene or tool for that. Say "help" to see what I can do.`;
}
