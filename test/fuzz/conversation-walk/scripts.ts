/** What the model and its tool do during a walk: random scripts with gates, and a strict look at every prompt. */
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { tool, type ToolSet } from "ai";
import { z } from "zod";
import { randomFrom, type Random } from "../../harness/random.ts";
import { type Beat, finish, ScriptedModel, text, toolCall } from "../../harness/scripted-model.ts";

export class Scripts {
  readonly model: ScriptedModel;
  readonly tools: ToolSet;
  /** What was wrong with prompts. */
  readonly problems: string[] = [];
  /** How often each tool call ran. */
  readonly executions = new Map<string, number>();
  /** While true no gate holds anything. */
  isOpen = false;
  readonly #seed: number;
  readonly #gates: { isOpen: boolean }[] = [];

  constructor(seed: number) {
    this.#seed = seed;
    this.model = new ScriptedModel((call, n) => this.#play(call, n));
    this.tools = {
      count: tool({
        inputSchema: z.object({ n: z.number(), hold: z.boolean().optional() }),
        execute: async ({ n, hold }, { toolCallId }) => {
          this.executions.set(toolCallId, (this.executions.get(toolCallId) ?? 0) + 1);
          if (hold === true) await this.#gate();
          if (n === 13) throw new Error("unlucky");
          return { counted: n };
        },
      }),
    };
  }

  get gateCount(): number {
    return this.#gates.length;
  }

  /** Opens the n-th closed gate. */
  openGate(n: number): void {
    for (const gate of this.#gates.splice(n, 1)) gate.isOpen = true;
  }

  openAll(): void {
    for (const gate of this.#gates.splice(0)) gate.isOpen = true;
  }

  /** Waits until the gate is open. Looks again and again: a promise would tie the test to an object that may die. */
  async #gate(): Promise<void> {
    if (this.isOpen) return;
    const gate = { isOpen: false };
    this.#gates.push(gate);
    while (!gate.isOpen) await scheduler.wait(4);
  }

  #play(call: LanguageModelV4CallOptions, n: number): Iterable<Beat> {
    const problem = promptProblem(call.prompt);
    if (problem !== null) this.problems.push(`call ${n}: ${problem}`);
    const random = randomFrom(this.#seed * 7_919 + n * 104_729);
    return call.prompt.at(-1)?.role === "tool" ? this.#answer(random, n) : this.#firstStep(random, n);
  }

  *#firstStep(random: Random, n: number): Generator<Beat> {
    const kind = random.below(12);
    if (kind === 0) return yield new Error("the model is down");
    if (kind === 1) return yield finish();
    if (kind === 2) {
      yield* text("before the error ", this.#gate());
      yield { type: "error", error: new Error("in band") };
      if (random.chance(0.5)) yield* text("behind the error");
      return yield finish();
    }
    if (kind <= 5) {
      if (random.chance(0.5)) yield* text(`looking ${n} `);
      const input = random.pick<unknown>([{ n }, { n, hold: true }, { n: 13 }, { n: "no number" }, "junk", []]);
      yield* toolCall(`call-${n}`, random.chance(0.9) ? "count" : "unknown", input);
      if (random.chance(0.3)) yield* toolCall(`call-${n}-b`, "count", { n: n + 1 });
      if (random.chance(0.2)) yield this.#gate();
      return yield finish("tool-calls");
    }
    yield* this.#answer(random, n);
  }

  *#answer(random: Random, n: number): Generator<Beat> {
    if (random.chance(0.2)) {
      yield { type: "reasoning-start", id: "r" };
      for (let i = 0; i < 3; i++) yield { type: "reasoning-delta", id: "r", delta: `think ${i} ` };
      if (random.chance(0.3)) yield this.#gate();
      yield { type: "reasoning-end", id: "r" };
    }
    const paragraphs = 1 + random.below(2);
    for (let i = 0; i < paragraphs; i++) yield* text(...this.#deltas(random, `${n}.${i}`));
    if (random.chance(0.06)) yield new Error("broke off");
    else yield finish();
  }

  *#deltas(random: Random, label: string): Generator<string | Promise<unknown>> {
    if (random.chance(0.15)) yield this.#gate();
    const count = 1 + random.below(random.chance(0.2) ? 60 : 8);
    for (let i = 0; i < count; i++) {
      yield `w${label}.${i} `;
      if (random.chance(0.12)) yield this.#gate();
      else if (random.chance(0.1)) yield scheduler.wait(random.below(3));
    }
  }
}

/** What a strict provider would refuse in a prompt; null for a legal one. */
export function promptProblem(prompt: LanguageModelV4Prompt): string | null {
  const seen = new Set<string>();
  let open = new Set<string>();
  for (const message of prompt) {
    if (message.content.length === 0) return `an empty ${message.role} message`;
    if (message.role !== "tool" && open.size > 0) return `calls without results: ${[...open].join(", ")}`;
    if (message.role === "system") continue;
    for (const part of message.content) {
      if ((part.type === "text" || part.type === "reasoning") && part.text === "") return `empty ${part.type}`;
      if (part.type === "tool-call") {
        if (typeof part.input !== "object" || part.input === null || Array.isArray(part.input))
          return `the input of ${part.toolCallId} is no object`;
        if (seen.has(part.toolCallId)) return `${part.toolCallId} was called twice`;
        seen.add(part.toolCallId);
        open.add(part.toolCallId);
      }
      if (part.type === "tool-result" && !open.delete(part.toolCallId))
        return `a result for no call: ${part.toolCallId}`;
    }
  }
  if (open.size > 0) return `calls without results: ${[...open].join(", ")}`;
  const users = prompt.filter((message) => message.role === "user").map((message) => JSON.stringify(message.content));
  if (new Set(users).size !== users.length) return "a user message stands there twice";
  const last = prompt.at(-1)?.role;
  return last === "user" || last === "tool" ? null : `it ends with ${last}`;
}
