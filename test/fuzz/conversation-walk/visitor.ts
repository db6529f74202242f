/** A client of the walk: its sockets, one after the other, each with a witness, and the requests that are its own. */
import { ChatSocket } from "../../harness/chat-socket.ts";
import { Witness } from "./witness.ts";

export type VisitorKind = "stock" | "delta" | "rogue";

/** A chat request that was sent and whose ending its sender does not know. */
export interface OwnRequest {
  readonly id: string;
  readonly frame: object;
}

export class Visitor {
  readonly kind: VisitorKind;
  readonly label: string;
  readonly unfinished = new Map<string, OwnRequest>();
  socket: ChatSocket | null = null;
  witness: Witness;
  #taken = 0;
  #foreign = 0;
  readonly #closed: () => void;

  /** `onLost` is told when a socket has died. */
  constructor(kind: VisitorKind, label: string, onLost: () => void) {
    this.kind = kind;
    this.label = label;
    this.witness = new Witness(kind !== "rogue");
    this.#closed = onLost;
  }

  get isHonest(): boolean {
    return this.kind !== "rogue";
  }

  /** Opens a new socket; false when the object died meanwhile. */
  async connect(name: string): Promise<boolean> {
    const options = this.kind === "delta" ? { capabilities: "delta,cursor" } : {};
    try {
      this.socket = await ChatSocket.open(name, options);
    } catch (error) {
      if (error instanceof Error) return false;
      throw error;
    }
    this.witness = new Witness(this.isHonest);
    this.#taken = 0;
    this.#foreign = 0;
    return true;
  }

  drop(): void {
    this.observe();
    this.socket?.close();
    this.socket = null;
  }

  send(frame: object | string): void {
    this.socket?.send(frame);
  }

  /** Takes in what has come since the last time; returns what was wrong with it. */
  observe(): string[] {
    const { socket, witness } = this;
    if (socket === null) return [];
    for (const frame of socket.frames.slice(this.#taken)) witness.take(frame);
    const foreign = socket.foreign
      .slice(this.#foreign)
      .filter((text) => /^\{"type":"cf_agent_(chat|use_chat|stream|message)/.test(text));
    this.#taken = socket.frames.length;
    this.#foreign = socket.foreign.length;
    for (const id of this.unfinished.keys()) if (witness.heard.get(id)?.ending) this.unfinished.delete(id);
    const problems = [
      ...foreign.map((text) => `a frame against the schema: ${text.slice(0, 200)}`),
      ...witness.problems.splice(0),
    ];
    if (socket.closeCode !== null) {
      this.socket = null;
      this.#closed();
    }
    return problems.map((problem) => `${this.label}: ${problem}`);
  }

  /** Asks what runs, and what became of `requests`. */
  probe(probeId: string, requests: readonly string[]): void {
    this.witness.probes.add(probeId);
    for (const id of requests) this.witness.request(id).allowed++;
    this.send({ type: "cf_agent_stream_resume_request", probeId, ...(requests.length > 0 ? { requests } : {}) });
  }

  /** Acknowledges a stream; a client with cursor keeps what it has up to `after`. */
  acknowledge(id: string, after: number): void {
    const from = this.kind === "delta" ? after : 0;
    this.witness.acknowledges(id, from);
    this.send({ type: "cf_agent_stream_resume_ack", id, ...(this.kind === "delta" ? { after: from } : {}) });
  }

  /** The borders of what it has of a stream: seqs that a cursor may name. */
  cursors(id: string): number[] {
    return [0, ...(this.witness.heard.get(id)?.chunks.map(({ seq }) => seq) ?? [])];
  }
}
