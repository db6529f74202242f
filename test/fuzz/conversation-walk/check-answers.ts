/** One list of chunks for everybody: heard live, over HTTP, replayed from the start or from a cursor, all fold to what is stored. */
import type { UIMessage } from "ai";
import { closeOpenParts, finalizeFold, type FoldState, hasRenderableParts } from "../../../src/shared/apply-chunk.ts";
import { sanitizeForStorage } from "../../../src/shared/sanitize.ts";
import { ChatSocket, textOf } from "../../harness/chat-socket.ts";
import type { Random } from "../../harness/random.ts";
import type { Stored } from "./stored.ts";
import type { Walk } from "./walk.ts";
import { Witness } from "./witness.ts";

type Turn = Stored["turns"][number];

/** Turns whose replay is looked at in one rest. */
const REPLAYS = 3;

export async function checkAnswers(walk: Walk, random: Random, stored: Stored): Promise<string[]> {
  const problems: string[] = [];
  const say = (label: string, text: string | null): void => void (text !== null && problems.push(`${label}: ${text}`));
  const fresh = stored.turns.filter(({ messageId }) => !walk.checked.has(messageId));
  for (const turn of fresh) {
    walk.checked.add(turn.messageId);
    for (const { label, witness } of walk.open.filter(({ isHonest }) => isHonest)) {
      const heard = witness.heard.get(turn.requestId);
      if (heard !== undefined && heard.isWhole && heard.chunks.length > 0)
        say(`${label} heard ${turn.requestId}`, difference(turn, stored, heard.fold));
    }
    for (const reader of walk.readers.filter(({ requestId }) => requestId === turn.requestId)) {
      await reader.ended;
      if (reader.state === "done" && reader.status === 200)
        say(`${turn.requestId} over HTTP`, difference(turn, stored, reader.fold));
    }
  }
  walk.readers.splice(0);
  const started = fresh.filter(({ isStarted }) => isStarted);
  const chosen = started.filter(() => random.chance(REPLAYS / started.length));
  if (chosen.length === 0) return problems;
  const socket = await walk.insist(() => ChatSocket.open(walk.name, { capabilities: "delta,cursor" }));
  for (const turn of chosen) {
    for (const text of await checkReplay(walk, turn, stored, socket, random)) say(`${turn.requestId} replayed`, text);
  }
  socket.close();
  return problems;
}

async function checkReplay(
  walk: Walk,
  turn: Turn,
  stored: Stored,
  socket: ChatSocket,
  random: Random,
): Promise<string[]> {
  const witness = new Witness(true);
  const whole = await replay(turn, socket, witness, 0);
  // The first append may have been lost, and with it the stream: then the end comes alone.
  const isGone = whole === null && walk.mayHaveLostAppends;
  const problems = [
    isGone ? null : difference(turn, stored, whole),
    walk.mayHaveLostReads ? null : forgotten(turn, stored, whole),
  ];
  const cursors = witness.heard.get(turn.requestId)?.chunks.map(({ seq }) => seq) ?? [];
  const cursor = cursors[random.below(cursors.length)];
  if (cursor !== undefined) {
    const rest = await replay(turn, socket, witness, cursor);
    if (witness.heard.get(turn.requestId)?.isWhole === true) problems.push(difference(turn, stored, rest));
  }
  return [...problems, ...witness.problems].filter((text) => text !== null);
}

/** Acknowledges an ended stream and folds what comes, up to the terminal frame. */
async function replay(turn: Turn, socket: ChatSocket, witness: Witness, after: number): Promise<FoldState | null> {
  const from = socket.frames.length;
  witness.acknowledges(turn.requestId, after);
  socket.send({ type: "cf_agent_stream_resume_ack", id: turn.requestId, after });
  const isEnd = (frame: ChatSocket["frames"][number]): boolean =>
    frame.type === "cf_agent_use_chat_response" && frame.id === turn.requestId && frame.done;
  await socket.until((frame) => socket.frames.indexOf(frame) >= from && isEnd(frame));
  for (const frame of socket.frames.slice(from)) witness.take(frame);
  return witness.heard.get(turn.requestId)?.fold ?? null;
}

/** A cut answer is kept as far as the buffer has it, which is as far as it is replayed. */
function forgotten(turn: Turn, { messages }: Stored, fold: FoldState | null): string | null {
  const [kept, replayed] = [textOf(messages.get(turn.messageId)), textOf(fold?.message)];
  return turn.ending?.error?.code !== "interrupted" || kept === replayed
    ? null
    : `of "${replayed}" only "${kept}" was kept`;
}

/** How a fold differs from what is stored; null when it does not. */
function difference(turn: Turn, { messages }: Stored, fold: FoldState | null): string | null {
  const message = messages.get(turn.messageId);
  const folded = fold === null ? null : closed(turn, unmarked(finalizeFold(fold)));
  const shown = folded !== null && hasRenderableParts(folded) ? folded : null;
  if (turn.ending?.error?.code === "interrupted") {
    // What was told may be ahead of storage by what had not been flushed.
    const isPrefix = textOf(shown ?? undefined).startsWith(textOf(message));
    return isPrefix ? null : `${JSON.stringify(shown)} does not begin with ${JSON.stringify(message)}`;
  }
  const told = JSON.stringify(shown);
  const kept = message === undefined ? "null" : JSON.stringify(closed(turn, unmarked(message)));
  return told === kept ? null : `${turn.state} as ${told} and stored as ${kept}`;
}

function closed(turn: Turn, message: UIMessage): UIMessage {
  return sanitizeForStorage(
    turn.state === "completed" ? message : closeOpenParts(message, "The answer ended before the tool did."),
  );
}

/** The message without the mark of a cut answer. */
function unmarked(message: UIMessage): UIMessage {
  const { metadata, ...rest } = message;
  const { troupe: _, ...own } = (metadata ?? {}) as Record<string, unknown>;
  return Object.keys(own).length === 0 ? rest : { ...rest, metadata: own };
}
