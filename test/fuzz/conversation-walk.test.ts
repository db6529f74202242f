/**
 * A random walk over everything that clients, the model, the buffer and the
 * runtime may do to one conversation. After each step every socket's frames are
 * checked; at rest everything told is compared with what is stored.
 *
 * A failure prints the seed and the trail of actions. `FUZZ_SEED=<n>` walks one
 * seed again, `FUZZ_STEPS=<n>` so far.
 */
import { abortAllDurableObjects } from "cloudflare:test";
import { afterEach, describe, expect, inject, it } from "vitest";
import { seeds } from "../harness/seeds.ts";
import { randomFrom } from "../harness/random.ts";
import { act, takeOffers } from "./conversation-walk/actions.ts";
import { rest } from "./conversation-walk/rest.ts";
import { Walk } from "./conversation-walk/walk.ts";

const allSeeds = seeds(20);
const STEPS = Number(inject("fuzzSteps") || "500");
/** How many of the last actions a failure shows. */
const SHOWN = 80;

async function takeStep(walk: Walk): Promise<string[]> {
  const random = walk.randomOfStep();
  await act(walk, random);
  if (random.chance(0.5)) await scheduler.wait(0);
  const problems = walk.observe();
  takeOffers(walk, random);
  const isRest = walk.step === STEPS || random.chance(0.03);
  if (!isRest) return problems;
  walk.note("rest");
  return [...problems, ...(await rest(walk, random))];
}

async function takeWalk(seed: number): Promise<void> {
  const walk = new Walk(`walk-${seed}-${randomFrom(Date.now()).below(1_000_000)}`, seed);
  while (walk.step < STEPS) {
    walk.step++;
    const problems = await takeStep(walk).catch((error: unknown) => [`it threw ${String(error)}`]);
    if (problems.length === 0) continue;
    const trail = walk.trail.slice(-SHOWN).join("\n");
    throw new Error(`seed ${seed}, step ${walk.step}:\n${problems.join("\n")}\n\n${trail}`);
  }
}

/** Walks that are under way at a time: they mostly wait. */
const AT_A_TIME = 5;

const groups = Array.from({ length: Math.ceil(allSeeds.length / AT_A_TIME) }, (_, at) =>
  allSeeds.slice(at * AT_A_TIME, (at + 1) * AT_A_TIME),
);

describe("a conversation keeps its promises on a random walk", () => {
  afterEach(() => abortAllDurableObjects());

  it.each(groups)(
    "seeds %i and those behind it",
    async (...seeds) => {
      const walks = await Promise.allSettled(seeds.map(takeWalk));
      const failures = walks.flatMap((walk) => (walk.status === "rejected" ? [String(walk.reason)] : []));
      expect(failures.join("\n\n")).toBe("");
    },
    240_000,
  );
});
