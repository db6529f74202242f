/** What must be true of a conversation's storage at rest. */
import type { UIMessage } from "ai";
import { http, storedMessages, textOf } from "../../harness/chat-socket.ts";
import type { Random } from "../../harness/random.ts";
import type { Stored } from "./stored.ts";
import { activePath, expectedRows } from "./transcript-model.ts";
import type { Walk } from "./walk.ts";

/** A turn calls the model once, and once more behind a tool. */
const MODEL_CALLS_PER_TURN = 2;
const SETTLED: ReadonlySet<string> = new Set(["output-available", "output-error", "output-denied"]);

export async function checkStored(walk: Walk, random: Random, stored: Stored): Promise<string[]> {
  return [
    ...checkTurns(walk, stored),
    ...checkRows(stored),
    ...checkMessages(walk, stored),
    ...checkToolCalls(walk, stored),
    ...checkIdle(walk, stored),
    ...(await checkReading(walk, random, stored)),
  ];
}

function checkTurns(walk: Walk, { turns }: Stored): string[] {
  const problems: string[] = [];
  for (const turn of turns) {
    walk.turnsSeen.add(turn.messageId);
    const { requestId, state } = turn;
    if (!["completed", "failed", "aborted"].includes(state)) problems.push(`${requestId} rests ${state}`);
    if (walk.checked.has(turn.messageId)) continue;
    if (state === "aborted" && !walk.cancelled.has(requestId) && !walk.hasCancelledOverHttp)
      problems.push(`${requestId} was aborted by nobody`);
    if (!turn.isStarted && state !== "aborted") problems.push(`${requestId} is ${state} and has never started`);
    if (turn.ending?.error?.code === "interrupted" && !walk.mayHaveCrashed)
      problems.push(`${requestId} was interrupted by nothing`);
  }
  const admitted = new Set(turns.flatMap(({ input }) => input));
  for (const { id, freshIds } of walk.sent.filter(({ isCertain }) => isCertain)) {
    for (const fresh of freshIds) if (!admitted.has(fresh)) problems.push(`${fresh} of ${id} was lost`);
  }
  const calls = walk.scripts.model.calls.length;
  if (calls > walk.turnsSeen.size * MODEL_CALLS_PER_TURN)
    problems.push(`${calls} model calls for ${walk.turnsSeen.size} turns`);
  return problems;
}

function checkRows({ rows, turns }: Stored): string[] {
  const answered = new Set(rows.filter(({ role }) => role === "assistant").map(({ id }) => id));
  const expected = JSON.stringify(expectedRows(turns, answered));
  return JSON.stringify(rows) === expected ? [] : [`the rows are ${JSON.stringify(rows)} instead of ${expected}`];
}

/** A stored message never changes, and nothing that was forged is in one. */
function checkMessages(walk: Walk, { messages }: Stored): string[] {
  const problems: string[] = [];
  for (const [id, message] of messages) {
    const body = JSON.stringify(message);
    const known = walk.remembered.get(id);
    if (known !== undefined && known !== body) problems.push(`${id} changed from ${known} to ${body}`);
    if (body.includes("forged")) problems.push(`${id} is forged: ${body}`);
    walk.remembered.set(id, body);
  }
  for (const id of walk.remembered.keys()) if (!messages.has(id)) problems.push(`${id} is gone`);
  return problems;
}

function checkToolCalls(walk: Walk, { messages }: Stored): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const part of [...messages.values()].flatMap((message) => message.parts)) {
    if (!("toolCallId" in part)) continue;
    if (seen.has(part.toolCallId)) problems.push(`${part.toolCallId} has two parts`);
    seen.add(part.toolCallId);
    if (!SETTLED.has(part.state)) problems.push(`${part.toolCallId} rests ${part.state}`);
  }
  for (const [id, times] of walk.scripts.executions) if (times > 1) problems.push(`${id} ran ${times} times`);
  return problems;
}

/** Retention comes after an hour, a heartbeat within seconds. */
function isRetention(time: number): boolean {
  return time > Date.now() + 3_000_000;
}

function checkIdle(walk: Walk, { jobs, alarm, turns }: Stored): string[] {
  // What a crash left behind is put right by the next turn, or by the alarm itself.
  const hasRun = turns.some(({ messageId, isStarted }) => isStarted && !walk.checked.has(messageId));
  if (walk.mayHaveCrashed || !hasRun) return [];
  if (jobs.length > 1 || jobs.some(({ id, time }) => id !== "troupe-awake" || !isRetention(time)))
    return [`jobs at rest: ${JSON.stringify(jobs)} at ${Date.now()}`];
  return alarm === null || isRetention(alarm) ? [] : [`an alarm at rest, ${alarm - Date.now()} ms from now`];
}

/** Every way to read gives the path to the newest row. */
async function checkReading(walk: Walk, random: Random, { rows, messages }: Stored): Promise<string[]> {
  const path = activePath(rows);
  const expected = JSON.stringify(path.map((id) => messages.get(id)));
  const byRpc = await walk.insist(() => storedMessages(walk.name));
  const byPages = await walk.insist(() => readPages(walk.name, 1 + random.below(12)));
  const problems: string[] = [];
  if (JSON.stringify(byRpc) !== expected) problems.push(`RPC gives ${ids(byRpc)} instead of ${path.join(" ")}`);
  if (JSON.stringify(byPages) !== expected) problems.push(`pages give ${ids(byPages)} instead of ${path.join(" ")}`);
  const wrong = byRpc.find(
    (message) => message.role === "user" && !/^(changed )?text of u\d+( x+)?$/.test(textOf(message)),
  );
  if (wrong !== undefined) problems.push(`nobody wrote ${JSON.stringify(wrong)}`);
  return problems;
}

async function readPages(name: string, limit: number): Promise<UIMessage[]> {
  const all: UIMessage[] = [];
  for (let hasMore = true; hasMore;) {
    const before = all[0] === undefined ? "" : `&before=${all[0].id}`;
    const response = await http(name, `/get-messages?limit=${limit}${before}`);
    all.unshift(...((await response.json()) as UIMessage[]));
    hasMore = response.headers.get("x-chat-has-more") === "true";
  }
  return all;
}

function ids(messages: readonly UIMessage[]): string {
  return messages.map(({ id }) => id).join(" ");
}
