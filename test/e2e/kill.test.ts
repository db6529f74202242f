/**
 * SIGKILL of the runtime at random points of many running turns: what was accepted is still there, nothing is there
 * twice, and every client that comes back learns how its request ended.
 *
 * A kill falls after a random number of frames over all sockets, so that a seed finds the same place on any machine.
 * `FUZZ_SEED=<n>` runs one seed alone.
 */
import type { UIMessage } from "ai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Random, randomFrom } from "../harness/random.ts";
import { ChatClient, type OpenRequest } from "./chat-client.ts";
import { type Ask, answerTo } from "./worker/script.ts";
import { startWorkerd, type Workerd } from "./workerd.ts";

const killsPerSeed = 10;
const conversations = 6;
/** About what a round of turns sends; a kill that never comes up falls after all turns have ended. */
const framesPerRound = 150;
const asked = process.env["FUZZ_SEED"];
const seeds = asked === undefined ? Array.from({ length: 10 }, (_, at) => at + 1) : [Number(asked)];

interface Request extends OpenRequest {
  readonly ask: Ask;
}

/** One conversation and its client, with everything the client ever asked and how it was told that it ended. */
interface Party {
  readonly name: string;
  readonly requests: Request[];
  readonly outcomes: Map<string, string>;
  client: ChatClient;
}

let runtime: Workerd;
const landed = { before: 0, within: 0, after: 0 };

beforeAll(async () => {
  runtime = await startWorkerd("worker");
});
afterAll(async () => {
  await runtime.stop();
});

function newRequest(party: Party, ask: Omit<Ask, "label">): Request {
  const label = `${party.name.replaceAll(/\W/g, "")}r${party.requests.length}`;
  const full = { label, ...ask };
  const message: UIMessage = { id: `${label}u`, role: "user", parts: [{ type: "text", text: JSON.stringify(full) }] };
  const request = { id: `${label}q`, message, ask: full };
  party.requests.push(request);
  return request;
}

/** Resolves after this many more frames over all sockets, or when every one of these requests has ended. */
async function framesPass(parties: readonly Party[], count: number): Promise<void> {
  const seen = (): number => parties.reduce((sum, { client }) => sum + client.frames.length, 0);
  const isOver = (): boolean => parties.every(({ client, requests }) => client.endOf(requests.at(-1)?.id ?? ""));
  const until = seen() + count;
  while (seen() < until && !isOver()) await Promise.race(parties.map(({ client }) => client.changed(1_000)));
}

const textOf = (message: UIMessage): string =>
  message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");

async function stored(party: Party): Promise<UIMessage[]> {
  const response = await fetch(`${runtime.url}/agents/assistant/${party.name}/get-messages`);
  expect(response.status).toBe(200);
  return (await response.json()) as UIMessage[];
}

/** The answers stored behind each user message, by the message's id. */
function answersIn(messages: readonly UIMessage[]): Map<string, UIMessage[]> {
  const answers = new Map<string, UIMessage[]>();
  let current: UIMessage[] = [];
  for (const message of messages) {
    if (message.role === "user") answers.set(message.id, (current = []));
    else current.push(message);
  }
  return answers;
}

/** Holds what is stored against everything the client ever asked and was told. */
async function check(party: Party): Promise<void> {
  const messages = await stored(party);
  const userIds = messages.filter(({ role }) => role === "user").map(({ id }) => id);
  expect(userIds, "every user message once, in order").toEqual(party.requests.map(({ message }) => message.id));
  expect(new Set(messages.map(({ id }) => id)).size, "no id twice").toBe(messages.length);
  const answers = answersIn(messages);
  for (const { id, message, ask } of party.requests) {
    const own = answers.get(message.id) ?? [];
    expect(own.length, `answers to ${id}`).toBeLessThanOrEqual(1);
    const text = own.map(textOf).join("");
    expect(answerTo(ask).startsWith(text), `${id} is answered with ${text}`).toBe(true);
    if (party.outcomes.get(id) === "completed") expect(text, `the answer to ${id}`).toBe(answerTo(ask));
  }
}

/** Notes how a request ended; whoever is told twice is told the same. */
function note(party: Party, request: Request, outcome: string | undefined): void {
  const known = party.outcomes.get(request.id) ?? outcome;
  expect(outcome, `outcome of ${request.id}`).toBe(known);
  party.outcomes.set(request.id, outcome ?? "none");
}

/** Counts where the kill fell for one request, and notes an end that was told before it. */
function noteKill(party: Party, request: Request): void {
  const { client } = party;
  const end = client.endOf(request.id);
  if (end !== undefined) note(party, request, end.outcome);
  const phase = end !== undefined ? "after" : client.text(request.id) === "" ? "before" : "within";
  landed[phase] += 1;
}

async function comeBack(party: Party, request: Request): Promise<void> {
  const { client: old } = party;
  const wasSeen = old.frames.some((frame) => "id" in frame && frame.id === request.id);
  party.client = await ChatClient.open(runtime.url, party.name);
  const { end, wasKnown } = await party.client.comeBack(request);
  if (wasSeen) expect(wasKnown, `${request.id} is known, its client has seen frames of it`).toBe(true);
  note(party, request, end.outcome);
  expect(answerTo(request.ask).startsWith(party.client.text(request.id)), "the text on the socket").toBe(true);
}

/** A short turn that nothing disturbs. */
async function nextTurn(party: Party): Promise<void> {
  const request = newRequest(party, { deltas: 3, paceMs: 0 });
  party.client.ask(request);
  const end = await party.client.ended(request.id);
  note(party, request, end.outcome);
  expect(end.outcome, "the next turn").toBe("completed");
}

async function round(parties: readonly Party[], random: Random): Promise<void> {
  const requests = parties.map((party) =>
    newRequest(party, { deltas: 10 + random.below(70), paceMs: 2 + random.below(8) }),
  );
  parties.forEach(({ client }, at) => client.ask(requests[at]!));
  await framesPass(parties, random.below(framesPerRound));
  await runtime.kill();
  parties.forEach((party, at) => noteKill(party, requests[at]!));
  parties.forEach(({ client }) => client.close());
  await runtime.start();
  await Promise.all(parties.map((party, at) => comeBack(party, requests[at]!)));
  await Promise.all(parties.map(check));
  await Promise.all(parties.map(nextTurn));
}

describe("kills of the runtime", () => {
  it.each(seeds)(
    "lose nothing, double nothing and leave no request without an end (seed %i)",
    async (seed) => {
      const random = randomFrom(seed);
      const parties: Party[] = await Promise.all(
        Array.from({ length: conversations }, async (_, at) => {
          const name = `s${seed}-c${at}`;
          return { name, requests: [], outcomes: new Map(), client: await ChatClient.open(runtime.url, name) };
        }),
      );
      for (let kill = 0; kill < killsPerSeed; kill += 1) await round(parties, random);
      await Promise.all(parties.map(check));
      parties.forEach(({ client }) => client.close());
    },
    120_000,
  );

  it.runIf(asked === undefined)("fall before, within and after the answers", () => {
    expect(Math.min(landed.before, landed.within, landed.after)).toBeGreaterThan(10);
    console.info(`Requests at the moment of a kill: ${JSON.stringify(landed)}`);
  });
});
