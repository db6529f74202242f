/**
 * What is measured of a subject in one round. Every measure makes conversations
 * of its own (`tag` is new each time), warms each up with a short turn, and
 * throws when a client has not heard every character.
 */
import type { Client } from "./client.ts";
import { cpuMs, forgetPeak, peakBytes, residentBytes } from "./process-costs.ts";
import { type Speech, textOf } from "./speech.ts";
import type { Running } from "./subjects.ts";

/** How much of everything: the bench's own sizes, or tiny ones for a test. */
export interface Sizes {
  readonly burst: number;
  readonly clients: number;
  readonly apart: number;
  readonly crowd: number;
  readonly crowdDeltas: number;
  readonly replay: number;
  readonly histories: readonly [number, number];
  /** How often short things are repeated within a round. */
  readonly repeat: number;
}

export const benchSizes: Sizes = {
  burst: 5_000,
  clients: 20,
  apart: 500,
  crowd: 100,
  crowdDeltas: 200,
  replay: 2_500,
  histories: [1_000, 5_000],
  repeat: 5,
};

/** The numbers of one measure, by name; names of times end in `Ms`, of sizes in `Bytes`. */
export type Sample = Readonly<Record<string, number>>;
export type Measure = (running: Running, tag: string, sizes: Sizes) => Promise<Sample>;

const SHORT: Speech = { deltas: 20, paceMs: 0 };

export async function firstChunk(running: Running, tag: string, { repeat }: Sizes): Promise<Sample> {
  const client = await warmClient(running, tag);
  const times: number[] = [];
  for (let n = 0; n < repeat * 6; n++) {
    const before = performance.now();
    client.ask(`${tag}-${n}`, JSON.stringify(SHORT));
    await client.firstDelta();
    times.push(performance.now() - before);
    await heard(client, SHORT);
  }
  client.close();
  return { firstChunkMs: median(times) };
}

export async function burstToOne(running: Running, tag: string, { burst }: Sizes): Promise<Sample> {
  const client = await warmClient(running, tag);
  const cpu = await cpuOf(running, () => turn(client, tag, { deltas: burst, paceMs: 0 }));
  const frames = client.deltas;
  client.close();
  return { burstCpuMs: cpu, burstFrames: frames };
}

export async function burstToMany(running: Running, tag: string, { burst, clients }: Sizes): Promise<Sample> {
  const asking = await warmClient(running, tag);
  const others = await Promise.all(Array.from({ length: clients - 1 }, () => running.open(tag)));
  const speech: Speech = { deltas: burst, paceMs: 0 };
  const cpu = await cpuOf(running, () =>
    Promise.all([turn(asking, tag, speech), ...others.map((other) => heard(other, speech))]),
  );
  for (const client of [asking, ...others]) client.close();
  return { burstManyCpuMs: cpu };
}

export async function oneByOne(running: Running, tag: string, { apart, repeat }: Sizes): Promise<Sample> {
  const client = await warmClient(running, tag, { apart: true });
  const cpu = await cpuOf(running, async () => {
    for (let n = 0; n < repeat; n++) await turn(client, `${tag}-${n}`, { deltas: apart, paceMs: 1 });
  });
  const frames = client.deltas;
  client.close();
  return { apartCpuMs: cpu / repeat, apartFrames: frames };
}

/** Conversations that are new, opened and asked at once, in a runtime that is warm and holds nothing else. */
export async function crowd(running: Running, tag: string, sizes: Sizes): Promise<Sample> {
  await restarted(running, tag);
  const pid = running.runtime.pid();
  const baseline = residentBytes(pid);
  forgetPeak(pid);
  const speech: Speech = { deltas: sizes.crowdDeltas, paceMs: 10 };
  const clients: Client[] = [];
  const cpu = await cpuOf(running, () =>
    Promise.all(
      Array.from({ length: sizes.crowd }, async (_, n) => {
        const client = await running.open(`${tag}-${n}`);
        clients.push(client);
        await turn(client, `${tag}-${n}`, speech);
      }),
    ),
  );
  const peak = peakBytes(pid);
  for (const client of clients) client.close();
  return { crowdCpuMs: cpu, crowdBytes: peak - baseline, crowdPeakBytes: peak };
}

/** New clients that come to a running stream, one after the other. */
export async function replay(running: Running, tag: string, sizes: Sizes): Promise<Sample> {
  if (running.subject.list === null) return {};
  const client = await warmClient(running, tag);
  const speech: Speech = { deltas: sizes.replay, paceMs: 0, until: tag };
  client.ask(tag, JSON.stringify(speech));
  await client.hasText(textOf(speech).length);
  const times: number[] = [];
  const cpu = await cpuOf(running, async () => {
    for (let n = 0; n < sizes.repeat; n++) times.push(await timeOf(() => replayed(running, tag, speech)));
  });
  await running.tell(`release/${tag}`);
  await client.ended();
  client.close();
  return { replayMs: median(times), replayCpuMs: cpu / sizes.repeat };
}

async function replayed(running: Running, name: string, speech: Speech): Promise<void> {
  const client = await running.open(name);
  await client.hasText(textOf(speech).length);
  assertText(client, speech);
  client.close();
}

/** Opening a conversation that is not in memory, until the first list or page is there. */
export async function coldOpen(running: Running, _: string, sizes: Sizes): Promise<Sample> {
  if (running.subject.list === null) return {};
  const [short, long] = sizes.histories;
  const few = await openedCold(running, short, sizes.repeat);
  const many = await openedCold(running, long, sizes.repeat);
  return { openShortMs: few.ms, openShortCpuMs: few.cpu, openLongMs: many.ms, openLongCpuMs: many.cpu };
}

async function openedCold(running: Running, messages: number, repeat: number) {
  const name = historyName(messages);
  const times: number[] = [];
  let cpu = 0;
  for (let n = 0; n < repeat; n++) {
    await running.tell(`drop/${name}`);
    cpu += await cpuOf(running, async () => times.push(await timeOf(() => running.listed(name))));
  }
  return { ms: median(times), cpu: cpu / repeat };
}

/** Makes the histories that `coldOpen` opens. Once is enough: nothing is added to them. */
export async function seed(running: Running, { histories }: Sizes): Promise<void> {
  if (running.subject.list === null) return;
  for (const messages of histories) {
    await running.tell(`seed/${historyName(messages)}?messages=${messages}`);
    const listed = await running.listed(historyName(messages));
    if (listed === 0) throw new Error(`${running.subject.key} shows nothing of ${messages} messages`);
  }
}

const historyName = (messages: number): string => `history-${messages}`;

/** A client of a new conversation that has had a short turn. */
async function warmClient(running: Running, name: string, options?: { readonly apart?: boolean }): Promise<Client> {
  const client = await running.open(name, options);
  await turn(client, `${name}-warm`, SHORT);
  return client;
}

/** A new process that has answered a few turns. */
async function restarted(running: Running, tag: string): Promise<void> {
  await running.runtime.kill();
  await running.runtime.start();
  await warmUp(running, `${tag}-restarted`);
}

/** Enough turns that the code is compiled. */
export async function warmUp(running: Running, tag: string): Promise<void> {
  const client = await warmClient(running, tag);
  for (let n = 0; n < 5; n++) await turn(client, `${tag}-${n}`, { deltas: 1_000, paceMs: 0 });
  client.close();
}

async function turn(client: Client, id: string, speech: Speech): Promise<void> {
  client.ask(id, JSON.stringify(speech));
  await heard(client, speech);
}

async function heard(client: Client, speech: Speech): Promise<void> {
  await client.ended();
  assertText(client, speech);
}

function assertText(client: Client, speech: Speech): void {
  if (client.text !== textOf(speech))
    throw new Error(`heard ${client.text.length} of ${textOf(speech).length} characters`);
}

async function cpuOf(running: Running, work: () => Promise<unknown>): Promise<number> {
  const pid = running.runtime.pid();
  const before = cpuMs(pid);
  await work();
  return cpuMs(pid) - before;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

/** The middle value; of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const high = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const low = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (low + high) / 2;
}
