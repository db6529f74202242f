/** A chat agent made of the chat layer's units only: what somebody would build without a Conversation. */
import { Agent, type AgentContext, type Connection, type WSMessage } from "agents";
import type { UIMessage, UIMessageChunk } from "ai";
import {
  AbortRegistry,
  ContinuationState,
  ResumableStream,
  setupChatProtocol,
  StreamAccumulator,
  StreamResumeHandler,
  TurnQueue,
} from "../../src/chat/index.ts";

/** What the agent of this name says to each request, piece by piece; a promise holds it. */
export const scripts = new Map<string, readonly (string | Promise<unknown>)[]>();

export class BareChat extends Agent {
  readonly stream = new ResumableStream(this);
  readonly resume = new StreamResumeHandler<Connection>(this.stream);
  readonly continuation = new ContinuationState<Connection>();
  readonly #queue = new TurnQueue();
  readonly #aborts = new AbortRegistry();
  #messages: UIMessage[] = [];

  constructor(ctx: AgentContext, env: Cloudflare.Env) {
    super(ctx, env);
    setupChatProtocol(this, {
      getMessages: () => this.#messages,
      onChatRequest: async (_, { id, init }) => {
        const { messages } = JSON.parse(init.body) as { messages: UIMessage[] };
        await this.#queue.enqueue(id, () => this.answer(id, messages));
      },
      onCancel: (id) => this.#aborts.cancel(id),
      onClear: () => this.#clear(),
      hasActiveStream: () => this.stream.hasActiveStream(),
      getActiveRequestId: () => this.stream.activeRequestId,
      notifyStreamResuming: (connection, probeId) => this.resume.notifyStreamResuming(connection, probeId),
      replayChunks: (connection, id) => this.stream.replayChunks(connection, id),
      persistOrphanedStream: (streamId) => this.#persist(this.stream.chunks(streamId)),
      getContinuation: () => this.continuation,
      getPendingResumeConnections: () => this.resume.pendingConnections,
    });
  }

  async answer(id: string, messages: readonly UIMessage[]): Promise<void> {
    this.#messages.push(...messages);
    const signal = this.#aborts.getSignal(id);
    const streamId = this.stream.start(id);
    this.resume.notifyAwaiting(this.continuation);
    const chunks: UIMessageChunk[] = [];
    for await (const chunk of this.#script(id, signal)) {
      if (this.stream.activeStreamId !== streamId) return;
      chunks.push(chunk);
      const body = JSON.stringify(chunk);
      this.stream.storeChunk(streamId, body);
      this.#tell({ type: "cf_agent_use_chat_response", id, body, done: false });
    }
    this.#persist(chunks);
    this.#tell({ type: "cf_agent_use_chat_response", id, body: "", done: true });
    this.stream.complete(streamId);
    this.#aborts.remove(id);
  }

  override onMessage(connection: Connection, message: WSMessage): void {
    connection.send(`echo ${String(message)}`);
  }

  async *#script(id: string, signal: AbortSignal): AsyncGenerator<UIMessageChunk> {
    yield { type: "start", messageId: `answer-${id}` };
    yield { type: "text-start", id: "t" };
    for (const piece of scripts.get(this.name) ?? ["ok"]) {
      if (typeof piece === "string") yield { type: "text-delta", id: "t", delta: piece };
      else await Promise.race([piece, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
      if (signal.aborted) break;
    }
    yield { type: "text-end", id: "t" };
  }

  #persist(chunks: readonly UIMessageChunk[]): void {
    const accumulator = new StreamAccumulator({ messageId: "" });
    for (const chunk of chunks) accumulator.applyChunk(chunk);
    this.#messages.push(accumulator.toMessage());
  }

  #clear(): void {
    this.#aborts.destroyAll();
    this.#queue.reset();
    this.stream.clearAll();
    this.resume.releaseAwaiting(this.continuation.clearAll());
    this.#messages = [];
    this.broadcast(JSON.stringify({ type: "cf_agent_chat_clear" }));
  }

  #tell(frame: object): void {
    this.broadcast(JSON.stringify(frame), this.resume.getExclusions());
  }
}
