/** Brings a walk to rest, every turn ended and every client attached, and compares all that was told with what is stored. */
import { evictDurableObject } from "cloudflare:test";
import { pointsPassed } from "../../harness/counters.ts";
import type { Random } from "../../harness/random.ts";
import { conversation } from "../../harness/chat-socket.ts";
import { checkAnswers } from "./check-answers.ts";
import { checkStored } from "./check-stored.ts";
import { readStored } from "./stored.ts";
import type { Visitor } from "./visitor.ts";
import type { Walk } from "./walk.ts";

/** Returns what was wrong. Throws when the conversation does not come to rest. */
export async function rest(walk: Walk, random: Random): Promise<string[]> {
  for (const actor of ["conversation", "buffer"]) pointsPassed(`${actor}:${walk.name}`);
  walk.faults.clear();
  walk.scripts.isOpen = true;
  const problems = await comeToRest(walk);
  const stored = await walk.insist(() => readStored(walk.name));
  problems.push(...(await checkStored(walk, random, stored)));
  for (const visitor of walk.open.filter(({ isHonest }) => isHonest)) {
    problems.push(...checkVisitor(visitor, await fullList(walk)).map((text) => `${visitor.label}: ${text}`));
  }
  problems.push(...(await checkAnswers(walk, random, stored)));
  problems.push(...walk.observe());
  walk.sent.splice(0, Math.max(0, walk.sent.length - 20));
  for (const sent of walk.sent) sent.isCertain = false;
  walk.scripts.isOpen = false;
  walk.mayHaveCrashed = false;
  walk.mayHaveLostReads = false;
  walk.mayHaveLostAppends = false;
  walk.hasCancelledOverHttp = false;
  if (random.chance(0.3)) await evictDurableObject(walk.stub);
  return problems;
}

async function fullList(walk: Walk): Promise<string[]> {
  const messages = (await walk.insist(async () => await conversation(walk.name).getMessages())) as { id: string }[];
  return messages.map(({ id }) => id);
}

/** Opens every gate, waits until nothing runs, and lets every client learn what became of its requests. */
async function comeToRest(walk: Walk): Promise<string[]> {
  const problems: string[] = [];
  for (let round = 0; round < 10; round++) {
    await syncAll(walk);
    await untilIdle(walk);
    await syncAll(walk);
    problems.push(...(await caughtUp(walk)));
    const owing = walk.visitors.filter(({ unfinished }) => unfinished.size > 0);
    if (owing.length === 0) return problems;
    for (const visitor of owing) problems.push(...(await comeBack(walk, visitor)));
  }
  const left = walk.visitors.flatMap(({ unfinished }) => [...unfinished.keys()]);
  throw new Error(`never ended: ${left.join(", ")}`);
}

/** Waits until every replay that was asked for has come. */
async function caughtUp(walk: Walk): Promise<string[]> {
  const problems = walk.observe();
  for (let tries = 0; walk.open.some((visitor) => visitor.isHonest && visitor.witness.isCatchingUp); tries++) {
    if (tries === 200) return [...problems, "a replay never ends"];
    await scheduler.wait(2);
    problems.push(...walk.observe());
  }
  return problems;
}

async function syncAll(walk: Walk): Promise<void> {
  for (const visitor of walk.open) await walk.sync(visitor);
}

async function untilIdle(walk: Walk): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    walk.scripts.openAll();
    const isBusy = await walk.insist(async () => await conversation(walk.name).isStreaming);
    if (!isBusy) return;
    await scheduler.wait(2);
  }
  throw new Error("the conversation never comes to rest");
}

/** A socket that comes back asks for its requests and sends again what the server has never seen. */
async function comeBack(walk: Walk, visitor: Visitor): Promise<string[]> {
  const wasLost = visitor.socket === null;
  if (wasLost)
    await walk.insist(async () => void (visitor.socket = (await visitor.connect(walk.name)) ? visitor.socket : null));
  const ids = [...visitor.unfinished.keys()].slice(0, 32);
  const problems = wasLost
    ? []
    : ids.filter((id) => isOwed(visitor, id)).map((id) => `${visitor.label} was not told the end of ${id}`);
  visitor.probe(walk.nextId("p"), ids);
  await walk.sync(visitor);
  problems.push(...visitor.observe());
  for (const id of visitor.witness.unknown) {
    const own = visitor.unfinished.get(id);
    if (own === undefined) continue;
    if (walk.sent.some((sent) => sent.id === id && sent.isCertain && sent.freshIds.length > 0))
      problems.push(`${id} was lost`);
    walk.note(`  ${visitor.label} sends ${id} again`);
    visitor.send(own.frame);
  }
  visitor.witness.unknown.clear();
  return problems;
}

/** Whether the open socket must have heard the end: it has never been told to acknowledge the stream first. */
function isOwed(visitor: Visitor, id: string): boolean {
  const heard = visitor.witness.heard.get(id);
  return heard !== undefined && heard.isOwn && heard.phase !== "offered";
}

/** What a socket that was there all the time must have been told. */
function checkVisitor({ witness, kind }: Visitor, list: readonly string[]): string[] {
  const problems: string[] = [];
  for (const [id, heard] of witness.heard) {
    if (heard.phase !== "offered" && heard.terminals === 0 && (heard.isOwn || heard.chunks.length > 0))
      problems.push(`${id} is ${heard.phase} at ${heard.seq} and was never ended`);
  }
  if (witness.probes.size > 0) problems.push(`probes without an answer: ${[...witness.probes].join(", ")}`);
  if (witness.isWaiting) problems.push("was told to wait, and nothing followed");
  const view = witness.view?.map(({ id }) => id);
  if (view === undefined) return problems;
  const shown = witness.hasMore ? list.slice(-view.length) : list;
  if (view.join(" ") !== shown.join(" "))
    problems.push(`a ${kind} client shows ${view.join(" ")} (more: ${witness.hasMore}) instead of ${list.join(" ")}`);
  return problems;
}
