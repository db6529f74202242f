/**
 * A conversation as a transport of the AI SDK: for `new Chat({ transport })`,
 * `useChat({ transport })`, and everything else that takes a `ChatTransport`.
 *
 * The streams it gives go on over lost sockets: each chunk comes once and in
 * order, whether it came live or was replayed, and each stream ends once.
 */
import type { ChatTransport, UIMessage, UIMessageChunk } from "ai";
import type { ChatClient } from "../chat-client.ts";
import type { TurnEnding } from "../chat-state.ts";
import { newId } from "../new-id.ts";

type Reader = ReadableStreamDefaultController<UIMessageChunk>;
type SendOptions<M extends UIMessage> = Parameters<ChatTransport<M>["sendMessages"]>[0];

/** An answer that runs: what came of it so far, and who reads it. */
interface RunningStream {
  readonly chunks: UIMessageChunk[];
  readonly readers: Set<Reader>;
}

/**
 * ```ts
 * const client = new ChatClient({ agent: "assistant", name: "my-chat" });
 * const transport = new ConversationTransport(client);
 * const { messages, sendMessage } = useChat({ transport, resume: true });
 * ```
 *
 * Make it before the client connects; it connects the client when it is used.
 */
export class ConversationTransport<M extends UIMessage = UIMessage> implements ChatTransport<M> {
  readonly #client: ChatClient;
  readonly #streams = new Map<string, RunningStream>();

  constructor(client: ChatClient) {
    this.#client = client;
    client.watch({
      onChunk: (chunk, requestId) => this.#onChunk(chunk, requestId),
      onTurnEnd: (ending) => this.#end(ending),
      onChange: () => this.#onChange(),
    });
  }

  /**
   * Asks for a turn. Of a submitted list only what the conversation lacks
   * travels. `body` reaches `onChatMessage`; a socket has no headers. Aborting
   * cancels the turn at the server; losing the page or the stream does not. A
   * turn that fails ends its stream with an `error` chunk whose text may be
   * shown. Rejects when there is nothing to answer.
   */
  async sendMessages(options: SendOptions<M>): Promise<ReadableStream<UIMessageChunk>> {
    const { messages, trigger, messageId, abortSignal } = options;
    const requestId = newId();
    const request = { requestId, body: options.body as Readonly<Record<string, unknown>> | undefined };
    this.#client.connect();
    if (trigger === "submit-message") {
      // A message that is too large ends at once: its stream must be there before.
      const stream = this.#read(requestId, abortSignal);
      try {
        this.#client.submit(this.#newOf(messages), request);
      } catch (error) {
        this.#streams.delete(requestId);
        throw error;
      }
      return stream;
    }
    const asked = messages.findLast((message) => message.role === "user");
    const isAsked = this.#client.regenerate({ ...request, messageId, asked }) !== null;
    if (!isAsked) throw new Error("There is no message to answer.");
    return this.#read(requestId, abortSignal);
  }

  /** The answer that runs, from its first chunk; null when nothing runs. Waits until the server has said which. */
  reconnectToStream(): Promise<ReadableStream<UIMessageChunk> | null> {
    this.#client.connect();
    return this.#client.running((requestId) => (requestId === null ? null : this.#read(requestId, undefined)));
  }

  /** The user messages at the end that the conversation lacks; the last message when it has them all. */
  #newOf(messages: readonly M[]): readonly M[] {
    const known = new Set(this.#client.getSnapshot().messages.map(({ id }) => id));
    const last = messages.findLastIndex((message) => message.role !== "user");
    const fresh = messages.slice(last + 1).filter(({ id }) => !known.has(id));
    return fresh.length > 0 ? fresh : messages.slice(-1);
  }

  #read(requestId: string, abortSignal: AbortSignal | undefined): ReadableStream<UIMessageChunk> {
    const { chunks, readers } = this.#stream(requestId);
    let reader: Reader;
    return new ReadableStream<UIMessageChunk>({
      start: (controller) => {
        reader = controller;
        for (const chunk of chunks) controller.enqueue(chunk);
        readers.add(controller);
        const abort = () => {
          this.#client.cancel(requestId);
          if (readers.delete(controller)) finish(controller, { type: "abort" });
        };
        if (abortSignal?.aborted === true) queueMicrotask(abort);
        else abortSignal?.addEventListener("abort", abort, { once: true });
      },
      cancel: () => void readers.delete(reader),
    });
  }

  #stream(requestId: string): RunningStream {
    const known = this.#streams.get(requestId);
    if (known !== undefined) return known;
    const begun: RunningStream = { chunks: [], readers: new Set() };
    this.#streams.set(requestId, begun);
    return begun;
  }

  #onChunk(chunk: UIMessageChunk, requestId: string): void {
    const { chunks, readers } = this.#stream(requestId);
    chunks.push(chunk);
    for (const reader of readers) reader.enqueue(chunk);
  }

  #end({ requestId, outcome, text }: Pick<TurnEnding, "requestId" | "outcome" | "text">): void {
    const readers = this.#streams.get(requestId)?.readers ?? [];
    this.#streams.delete(requestId);
    for (const reader of readers) {
      if (outcome === "error") finish(reader, { type: "error", errorText: text });
      else finish(reader, outcome === "aborted" ? { type: "abort" } : null);
    }
  }

  /** A link that was refused for good brings nothing any more. */
  #onChange(): void {
    if (this.#client.link !== "closed-for-good") return;
    const text = "The server refused the connection.";
    for (const requestId of this.#streams.keys()) this.#end({ requestId, outcome: "error", text });
  }
}

function finish(reader: Reader, last: UIMessageChunk | null): void {
  if (last !== null) reader.enqueue(last);
  reader.close();
}
