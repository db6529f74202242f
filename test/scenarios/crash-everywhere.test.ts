/** Every flow, once per point at which the conversation or its buffer may lose its memory. */
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { tool } from "ai";
import { abortAllDurableObjects } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { stage } from "../harness/agents.ts";
import { storedMessages, textOf } from "../harness/chat-socket.ts";
import { crashAt, pointsPassed } from "../harness/counters.ts";
import { ReturningClient } from "../harness/returning-client.ts";
import { type Beat, finish, say, ScriptedModel, text, toolCall } from "../harness/scripted-model.ts";

const WORDS = ["The ", "quick ", "brown ", "fox ", "jumps."];
const ANSWER = WORDS.join("");

/** Streams word by word, giving the object time between words so that flushes happen in between. */
async function* slowly(): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: "text-start", id: "t" };
  for (const delta of WORDS) {
    yield { type: "text-delta", id: "t", delta };
    await scheduler.wait(1);
  }
  yield { type: "text-end", id: "t" };
  yield finish();
}

const flows: Record<string, (n: number) => Iterable<Beat> | AsyncIterable<Beat>> = {
  "a streamed answer": () => slowly(),
  "a tool round": (n) => (n % 2 === 0 ? [...toolCall(`c${n}`, "look", {}), finish("tool-calls")] : say(ANSWER)),
  "a failing model": () => [...text("The quick ", new Error("down"))],
};

async function play(
  name: string,
  flow: (n: number) => Iterable<Beat> | AsyncIterable<Beat>,
  at: { actor: string; n: number } | null,
) {
  const setup = stage(name);
  setup.configure = (self) => {
    self.joinDeltasMs = 0;
    self.flushLimits = { ms: 1, bytes: 1_000_000, chunks: 2 };
  };
  let n = 0;
  setup.model = new ScriptedModel(() => flow(n++));
  setup.tools = { look: tool({ inputSchema: z.object({}), execute: () => "seen" }) };
  const client = new ReturningClient(name);
  if (at !== null) crashAt(at.actor, at.n);
  const first = await client.ask("r1", "one");
  const passed = at === null ? 0 : pointsPassed(at.actor);
  const second = await client.ask("r2", "two");
  return { client, first, second, passed, messages: await storedMessages(name) };
}

/** What must hold wherever the crash was. */
function check(label: string, { client, first, second, messages }: Awaited<ReturnType<typeof play>>): void {
  const users = messages.filter((message) => message.role === "user").map(textOf);
  expect(users, label).toEqual(["one", "two"]);
  expect(new Set(messages.map((message) => message.id)).size, label).toBe(messages.length);
  expect(
    client.endings.map((end) => end.id),
    label,
  ).toEqual(["r1", "r2"]);
  for (const end of [first, second]) expect(["completed", "error"], label).toContain(end.outcome);
  // At most one answer behind each question, and never with doubled text.
  const roles = messages.map((message) => message.role).join(" ");
  expect(roles, label).toMatch(/^user (assistant )?user( assistant)?$/);
  for (const message of messages.filter((entry) => entry.role === "assistant")) {
    expect(ANSWER.startsWith(textOf(message)), `${label}: ${textOf(message)}`).toBe(true);
  }
}

/** How many runs are under way at a time: they mostly wait. */
const AT_A_TIME = 8;

// Hundreds of objects that stay alive slow each other down.
afterEach(() => abortAllDurableObjects());

describe("crash everywhere", () => {
  for (const [title, flow] of Object.entries(flows)) {
    for (const actor of ["conversation", "buffer"]) {
      it(`${title}, the ${actor} crashing at each of its points: nothing lost, nothing twice`, async () => {
        const slug = title.replaceAll(" ", "-");
        const run = async (n: number): Promise<boolean> => {
          const name = `crash-${slug}-${actor}-${n}`;
          const result = await play(name, flow, { actor: `${actor}:${name}`, n });
          check(name, result);
          return result.passed > n;
        };
        let crashes = 0;
        for (let n = 0; n < 400; n += AT_A_TIME) {
          const crashed = await Promise.all(Array.from({ length: AT_A_TIME }, (_, i) => run(n + i)));
          crashes += crashed.filter(Boolean).length;
          if (crashed.includes(false)) break;
        }
        console.log(`${title}, ${actor}: ${crashes} crash points`);
        expect(crashes).toBeGreaterThan(actor === "conversation" ? 20 : 2);
      }, 300_000);
    }
  }
});
