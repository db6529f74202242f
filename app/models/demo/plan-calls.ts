/**
 * Decides which of the given tools a request asks for.
 *
 * A request is a list of steps ("…, then …"), a step a list of clauses
 * ("… and …"); the calls of one step are made at once.
 */
import type { DemoTool, ToolInput } from "./beats.ts";
import { fillInput, type Filled } from "./fill-input.ts";
import { expressionsIn, stems } from "./words.ts";

export interface PlannedCall {
  readonly toolName: string;
  readonly input: ToolInput;
}

interface Draft extends Filled {
  readonly tool: DemoTool;
  readonly clause: string;
}

/** The steps of a request that tools can do, in order. Empty when no tool fits. */
export function planCalls(request: string, tools: readonly DemoTool[]): PlannedCall[][] {
  return request
    .split(/[,;.]?\s+(?:and\s+)?(?:then|after that|afterwards)\b,?/i)
    .map((step) => callsOf(step, tools))
    .filter((calls) => calls.length > 0);
}

function callsOf(step: string, tools: readonly DemoTool[]): PlannedCall[] {
  const drafts: Draft[] = [];
  for (const clause of clausesOf(step)) {
    const tool = bestTool(clause, tools);
    const last = drafts.at(-1);
    if (tool) drafts.push(draft(tool, clause));
    else if (last && (last.guessed.length > 0 || takesList(last.tool)))
      drafts[drafts.length - 1] = draft(last.tool, `${last.clause} and ${clause}`);
    else if (last) drafts.push(...[draft(last.tool, clause)].filter(({ hits }) => hits > 0));
  }
  return drafts.map(({ tool, input }) => ({ toolName: tool.name, input }));
}

function takesList({ inputSchema }: DemoTool): boolean {
  return Object.values(inputSchema.properties ?? {}).some(
    (entry) => typeof entry === "object" && entry.type === "array",
  );
}

function draft(tool: DemoTool, clause: string): Draft {
  return { tool, clause, ...fillInput(tool.inputSchema, clause) };
}

/** Splits at commas and "and", but not inside quotes or brackets. */
function clausesOf(step: string): string[] {
  const kept: string[] = [];
  const masked = step.replace(/"[^"]*"|“[^”]*”|`[^`]*`|\([^()]*\)/g, (text) => `⟦${kept.push(text) - 1}⟧`);
  return masked
    .split(/,\s*(?:and\s+)?|\s+and\s+/i)
    .map((clause) => clause.replace(/⟦(\d+)⟧/g, (_, index: string) => kept[Number(index)] ?? ""))
    .filter((clause) => clause.trim() !== "");
}

const NAME_WEIGHT = 3;
const ENOUGH = 3;

function bestTool(clause: string, tools: readonly DemoTool[]): DemoTool | undefined {
  const scored = tools.map((tool) => ({ tool, score: scoreOf(tool, clause) }));
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a), { tool: undefined, score: ENOUGH - 1 } as {
    tool: DemoTool | undefined;
    score: number;
  });
  return best.tool;
}

/** Words of a tool's name count most, words of its description a little, arithmetic counts for tools that take it. */
function scoreOf(tool: DemoTool, clause: string): number {
  if (clause.includes(tool.name) && /[_A-Z-]/.test(tool.name)) return 100;
  const said = new Set(stems(clause));
  const hits = (text: string) => new Set(stems(text).filter((word) => said.has(word) && !idle.has(word))).size;
  const takesExpression = Object.keys(tool.inputSchema.properties ?? {}).some((name) =>
    /expression|formula/i.test(name),
  );
  const arithmetic = takesExpression && expressionsIn(clause).length > 0 ? ENOUGH : 0;
  return NAME_WEIGHT * hits(tool.name) + hits(tool.description ?? "") + arithmetic;
}

/** Words that say nothing about which tool is meant. */
const idle = new Set(
  stems(
    "a an the of or and to in with for from by on at is are it its this that these those be do get set make run use tool my me you your i what which one more such as some any number value given current user please can could would",
  ),
);
