/**
 * What one socket was told, checked frame by frame: a strict client that folds
 * by `seq` and notes everything that contradicts what it was told before.
 */
import type { UIMessage, UIMessageChunk } from "ai";
import { applyChunk, emptyAssistant, type FoldState, startFold } from "../../../src/shared/apply-chunk.ts";
import type { ServerFrame } from "../../../src/shared/wire.ts";

/** One request, as this socket hears it. */
export interface Heard {
  /** `offered`: told to acknowledge; `replaying`: acknowledged, not caught up; `live`: hears every chunk. */
  phase: "live" | "offered" | "replaying";
  seq: number;
  /** What was folded, each chunk with the last seq that it covers. */
  chunks: { readonly seq: number; readonly chunk: UIMessageChunk }[];
  fold: FoldState | null;
  terminals: number;
  /** Terminal frames that it may get: one, and one for each time that it asked again. */
  allowed: number;
  ending: ResponseFrame | null;
  isOwn: boolean;
  /** How many chunks came since the last ACK. */
  replayed: number;
  /** Whether the end came before the replay that was asked for: what is replayed behind it is of no use. */
  isClosed: boolean;
  /** Whether it was attached when the end came, so that it has every chunk. */
  isWhole: boolean;
}

type Of<T extends ServerFrame["type"]> = Extract<ServerFrame, { type: T }>;
type ResponseFrame = Of<"cf_agent_use_chat_response">;

export class Witness {
  readonly problems: string[] = [];
  readonly heard = new Map<string, Heard>();
  /** Streams it was offered and has not acknowledged. */
  readonly offers = new Set<string>();
  readonly probes = new Set<string>();
  /** Whether it was told to wait for a turn and has heard nothing since. */
  isWaiting = false;
  /** The messages it shows; null when it has to ask for them again. */
  view: UIMessage[] | null = null;
  hasMore = false;
  clears = 0;
  readonly unknown = new Set<string>();
  readonly #bodies = new Map<string, string>();
  readonly #isHonest: boolean;

  /** One that is not honest checks nothing but the frames' shape: it asks for what makes no sense. */
  constructor(isHonest: boolean) {
    this.#isHonest = isHonest;
  }

  get isCatchingUp(): boolean {
    return [...this.heard.values()].some(({ phase }) => phase === "replaying");
  }

  request(id: string): Heard {
    const known = this.heard.get(id);
    if (known !== undefined) return known;
    const fresh: Heard = {
      phase: "live",
      seq: 0,
      chunks: [],
      fold: null,
      terminals: 0,
      allowed: 1,
      ending: null,
      isOwn: false,
      replayed: 0,
      isClosed: false,
      isWhole: false,
    };
    this.heard.set(id, fresh);
    return fresh;
  }

  /** The socket sends an ACK: what it has up to `after` stays. */
  acknowledges(id: string, after: number): void {
    const heard = this.request(id);
    this.offers.delete(id);
    heard.phase = "replaying";
    if (heard.terminals > 0) heard.allowed++;
    const kept = heard.chunks.filter(({ seq }) => seq <= after);
    Object.assign(heard, { seq: after, chunks: [], fold: null, isClosed: false });
    for (const { seq, chunk } of kept) fold(heard, seq, chunk);
    heard.replayed = 0;
  }

  /** Somebody sends the request again: one that was refused may be taken this time, and then it begins anew for all. */
  hearsAgain(id: string): void {
    const heard = this.heard.get(id);
    if (heard?.ending?.error === true && heard.fold === null) this.heard.delete(id);
  }

  take(frame: ServerFrame): void {
    switch (frame.type) {
      case "cf_agent_use_chat_response":
        return frame.done ? this.#ended(frame) : this.#chunk(frame);
      case "cf_agent_stream_resuming":
        this.#answered(frame);
        this.isWaiting = false;
        // Offered once more while it is being caught up, it stays with the offer that it has taken.
        if (this.request(frame.id).phase === "replaying") return;
        this.request(frame.id).phase = "offered";
        this.offers.add(frame.id);
        return;
      case "cf_agent_stream_pending":
        this.#answered(frame);
        this.isWaiting = true;
        return;
      case "cf_agent_stream_resume_none":
        this.#answered(frame);
        this.isWaiting = false;
        return;
      case "cf_agent_chat_messages":
        this.#sees(frame.messages);
        this.view = frame.messages;
        this.hasMore = frame.hasMore === true;
        return this.#forget();
      case "cf_agent_chat_tail":
        return this.#tail(frame);
      case "cf_agent_chat_clear":
        return this.#cleared();
      case "cf_agent_chat_error":
        return;
      case "cf_agent_message_updated":
        // Nothing waits for answers here: it only tells one who answers all the same where the call stands.
        return this.#sees([frame.message]);
      default:
        this.#problem(`a frame that nobody sends: ${frame.type}`);
    }
  }

  #chunk(frame: ResponseFrame): void {
    if (!this.#isHonest) return;
    const heard = this.request(frame.id);
    if (heard.isClosed && frame.replay === true) return;
    if (frame.replayComplete === true) {
      if (heard.phase !== "replaying") this.#problem(`${frame.id}: caught up without a replay`);
      heard.phase = "live";
      return;
    }
    const chunk = JSON.parse(frame.body) as UIMessageChunk;
    const { seq = 0 } = frame;
    if (frame.error === true || chunk.type === "error" || chunk.type === "abort")
      this.#problem(`${frame.id}: an error as a chunk`);
    if (heard.terminals > 0 && heard.phase === "live") this.#problem(`${frame.id}: a chunk behind the end`);
    const wanted = frame.replay === true ? "replaying" : "live";
    if (heard.phase !== wanted)
      this.#problem(`${frame.id}: chunk ${seq} (${wanted}) came while ${heard.phase} at ${heard.seq}`);
    if (frame.replay === true ? seq <= heard.seq : seq !== heard.seq + 1)
      this.#problem(`${frame.id}: ${wanted} chunk ${seq} (${chunk.type}) came behind ${heard.seq}`);
    if ((chunk.type === "start") !== (heard.fold === null)) this.#problem(`${frame.id}: ${chunk.type} came at ${seq}`);
    fold(heard, seq, chunk);
  }

  #ended(frame: ResponseFrame): void {
    const heard = this.request(frame.id);
    this.isWaiting = false;
    this.offers.delete(frame.id);
    if (heard.phase === "offered" && !this.#isHonest) heard.phase = "live";
    heard.terminals++;
    const previous = heard.ending;
    heard.ending = frame;
    heard.isWhole = isWhole(heard);
    heard.isClosed = frame.replay !== true && (heard.isClosed || heard.phase === "replaying");
    if (!this.#isHonest) return;
    if (heard.terminals > heard.allowed) this.#problem(`${frame.id}: ended ${heard.terminals} times`);
    if (previous !== null && previous.outcome !== frame.outcome)
      this.#problem(`${frame.id}: ended ${previous.outcome}, then ${frame.outcome}`);
    if (frame.error === true ? frame.outcome !== "error" || frame.code === undefined : frame.outcome === "error")
      this.#problem(`${frame.id}: a terminal frame that contradicts itself`);
    heard.phase = "live";
  }

  #answered(frame: Of<"cf_agent_stream_resuming" | "cf_agent_stream_pending" | "cf_agent_stream_resume_none">): void {
    for (const id of frame.unknown ?? []) this.unknown.add(id);
    if (frame.probeId !== undefined && !this.probes.delete(frame.probeId))
      this.#problem(`probe ${frame.probeId} was answered twice`);
  }

  #tail({ after, messages, first }: Of<"cf_agent_chat_tail">): void {
    this.#sees(messages);
    if (this.view === null) return this.#forget();
    const at = after === null ? 0 : this.view.findIndex(({ id }) => id === after) + 1;
    if (after !== null && at === 0) this.view = null;
    else this.view = [...this.view.slice(0, at), ...messages];
    const start = first === undefined ? -1 : (this.view?.findIndex(({ id }) => id === first) ?? -1);
    if (start > 0) this.#problem(`the tail says that ${first} is the first of all`);
    if (after === null) this.hasMore = false;
    this.#forget();
  }

  /** What is shown no more may come back as something else: a request that was cancelled in line leaves no trace. */
  #forget(): void {
    const shown = new Set(this.view?.map(({ id }) => id));
    for (const id of this.#bodies.keys()) if (!shown.has(id)) this.#bodies.delete(id);
  }

  /** What was shown once is shown like that for ever: answers are only shown when they are final. */
  #sees(messages: readonly UIMessage[]): void {
    if (new Set(messages.map(({ id }) => id)).size !== messages.length) this.#problem("a message is listed twice");
    for (const message of messages) {
      const body = JSON.stringify(message);
      const known = this.#bodies.get(message.id);
      if (known !== undefined && known !== body) this.#problem(`${message.id} changed from ${known} to ${body}`);
      this.#bodies.set(message.id, body);
    }
  }

  #cleared(): void {
    this.clears++;
    this.heard.clear();
    this.offers.clear();
    this.#bodies.clear();
    this.unknown.clear();
    this.view = [];
    this.hasMore = false;
    this.isWaiting = false;
  }

  #problem(text: string): void {
    this.problems.push(text);
  }
}

function fold(heard: Heard, seq: number, chunk: UIMessageChunk): void {
  const start = chunk.type === "start" ? (chunk.messageId ?? "") : "";
  heard.fold = applyChunk(heard.fold ?? startFold(emptyAssistant(start)), chunk);
  heard.seq = seq;
  heard.replayed++;
  heard.chunks.push({ seq, chunk });
}

/** Where nothing can be read any more, a late ACK gets the end alone: the list has the answer. */
function isWhole({ phase, terminals, replayed, isWhole, ending }: Heard): boolean {
  if (phase === "replaying") return replayed > 0 && ending?.replay === true;
  return phase === "live" && (terminals === 1 || isWhole);
}
