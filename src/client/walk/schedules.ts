/** The 2,000 schedules: which seeds belong to which part, and one walk from its seed. */
import type { ModelOptions } from "./model-options.ts";
import { ModelServer } from "./model-server.ts";
import { randomOf } from "./random.ts";
import { oneStep, settle, type Weather } from "./schedule.ts";
import { type Face, Tab } from "./tab.ts";

/** One kind of schedule. */
export interface Part {
  /** From 0 up to, not including, 8. */
  readonly number: number;
  readonly title: string;
  readonly weather: Weather;
  /** The tabs by what their ids begin with. Default: two. */
  readonly tabs?: readonly string[];
  /** Whether the tabs announce what they understand. Default: yes. */
  readonly hasDelta?: boolean;
  readonly server?: Partial<ModelOptions>;
}

const SCHEDULES = 2_000;
const PARTS = 8;

export const server: ModelOptions = {
  name: "walk",
  pageSize: 4,
  keeps: Number.MAX_SAFE_INTEGER,
  windowSize: 8,
  line: 5,
  isRecovering: false,
};

/** The seeds of a part, of so many schedules (`WALK_SCHEDULES`), or of them only the one that is named (`WALK_SEED`). */
export function seedsOf(part: number, environment: Readonly<Record<string, string | undefined>>): number[] {
  const { WALK_SEED: only, WALK_SCHEDULES: count = SCHEDULES } = environment;
  const seeds = only === undefined ? Array.from({ length: Number(count) }, (_, at) => at + 1) : [Number(only)];
  return seeds.filter((seed) => seed % PARTS === part);
}

/** Walks one schedule; rejects with the seed when a claim does not hold. */
export async function walk(seed: number, part: Part, show: (tab: Tab) => Face): Promise<void> {
  const { weather, tabs = ["a", "b"], hasDelta = true } = part;
  const random = randomOf(seed);
  const model = new ModelServer({ ...server, ...part.server });
  const actors = tabs.map((name) => {
    const tab = new Tab(name, model, hasDelta);
    return { tab, face: show(tab) };
  });
  await repeatable(seed, async () => {
    for (let left = 100 + random.below(500); left > 0; left--) await oneStep({ random, weather, actors });
    await settle({ random, weather, actors });
    for (const { tab, face } of actors) tab.checkAtRest(face.view);
  });
}

/** An error says how its schedule is repeated. */
export async function repeatable(seed: number, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    throw new Error(`${String(error)}\nWALK_SEED=${seed} repeats it.`, { cause: error });
  }
}
