/**
 * The conversation actor: messages, turns and chat sockets of one chat.
 *
 *     export class Assistant extends Conversation<Env> {
 *       getModel() { return createOpenAI({ apiKey: this.env.KEY })("gpt-5"); }
 *     }
 *
 * A shell: it builds the parts, gives them the override points, and forwards.
 * `onMessage`, `onConnect`, `onClose` and `onRequest` are the user's own and
 * see only what is not the chat protocol's.
 */
import { Agent, type AgentContext } from "agents";
import {
  type LanguageModel,
  type ModelMessage,
  stepCountIs,
  experimental_streamTextLowMemory as streamText,
  type ToolSet,
  type UIMessage,
} from "ai";
import { type Clock, systemClock } from "../../shared/clock.ts";
import { TroupeError } from "../../shared/errors.ts";
import { facet } from "../../shared/platform/facet.ts";
import type { StreamBufferContract } from "../stream-buffer/contract.ts";
import { chatOverRpc } from "./chat-over-rpc.ts";
import type {
  Action,
  Authorization,
  ChatErrorContext,
  ChatOptions,
  ChatResult,
  ConversationContract,
  CorsOptions,
  OnChatMessageOptions,
  StreamCallback,
  TurnReport,
  Who,
} from "./contract.ts";
import { buildConversation, type BuiltConversation } from "./build.ts";
import { allowed } from "./access.ts";
import { boundPrompt, promptOf } from "./transcript/context.ts";
import { DEFAULT_CONTEXT_BYTES } from "./transcript/window.ts";
import { allMessages } from "./transcript/view.ts";
import { cancelTurn } from "./turn/cancel.ts";
import { DEFAULT_JOIN_MS, joiningModel } from "./turn/join-model.ts";
import { reportOf } from "./turn/report.ts";
import { DEFAULT_FLUSH_LIMITS, type FlushLimits } from "./turn/segment-writer.ts";
import { serverTools, turnTools } from "./turn/turn-tools.ts";

/** One conversation, its options and override points. Override `getModel` or `onChatMessage`; everything else has a default. */
// size: most fields are options that people assign in their own class; the state is in the one private field.
export class Conversation<
  Env extends Cloudflare.Env = Cloudflare.Env,
  State = unknown,
  Props extends Record<string, unknown> = Record<string, unknown>,
>
  extends Agent<Env, State, Props>
  implements ConversationContract
{
  /** Where the time comes from; tests replace it. */
  static clock: Clock = systemClock;

  /** Keep only the newest n messages, of all branches; the oldest go after each turn. Default: unlimited. */
  maxPersistedMessages: number | undefined = undefined;
  /** Budget of `this.messages` and of the default prompt, in bytes of message JSON. Default 1 000 000. */
  contextBytes: number = DEFAULT_CONTEXT_BYTES;
  /** Milliseconds in which deltas of one part are joined; up to 512 while the isolate cannot keep up; 0 turns it off. Default 16. */
  joinDeltasMs: number = DEFAULT_JOIN_MS;
  /** When chunks are handed to the StreamBuffer: by time, bytes and count, whichever comes first. */
  flushLimits: FlushLimits = DEFAULT_FLUSH_LIMITS;
  /** Milliseconds without a chunk after which a silent model ends the turn; tool calls do not count. Default 300 000; 0 turns it off. */
  chatStreamStallTimeoutMs = 300_000;
  /** Milliseconds a turn waits for MCP servers that are known and still connecting. Default 10 000; 0 does not wait. */
  mcpConnectTimeoutMs = 10_000;
  /** Largest answer of one turn, in characters of chunk JSON. Default 8 000 000. */
  maxAnswerChars = 8_000_000;
  /** How long the chunks of an ended stream are kept for readers that come back, in milliseconds. Default one hour. */
  streamRetentionMs = 3_600_000;
  /** Other origins that may use this conversation from a browser. Default: none. */
  cors: CorsOptions | undefined = undefined;

  readonly #built: BuiltConversation;

  constructor(ctx: AgentContext, env: Env) {
    super(ctx, env);
    this.#built = buildConversation(this, ctx.storage, (this.constructor as typeof Conversation).clock);
  }

  // ── override points ────────────────────────────────────────────────────

  /** The model that answers. Must be overridden, unless `onChatMessage` is. */
  getModel(): LanguageModel {
    throw new TroupeError("no_model", `Override getModel() in ${this.constructor.name} to return a language model.`);
  }

  /** The instructions that stand in front of every prompt. Asked once per segment. Default: "You are a helpful assistant." */
  getSystemPrompt(): string {
    return "You are a helpful assistant.";
  }

  /** The AI SDK tools of this assistant. Tools of connected MCP servers and of the client are merged over them, in this order. */
  getTools(): ToolSet {
    return {};
  }

  /** Most model calls of one segment; the turn then ends as completed. Default 10. */
  getMaxSteps(): number {
    return 10;
  }

  /** What the model sees: by default the window, old results of server tools left out in pairs. */
  assembleContext(): Promise<ModelMessage[]> | ModelMessage[] {
    return promptOf(this.messages, serverTools(this));
  }

  /** Answers the conversation as it stands in `this.messages`. Override for full control of inference. The result of this default can be read once. */
  async onChatMessage(options?: OnChatMessageOptions): Promise<ChatResult> {
    return streamText({
      model: joiningModel(this.getModel(), this.joinDeltasMs, (this.constructor as typeof Conversation).clock),
      instructions: this.getSystemPrompt(),
      messages: await this.assembleContext(),
      tools: await turnTools(this, options?.clientTools, this.mcpConnectTimeoutMs),
      stopWhen: stepCountIs(this.getMaxSteps()),
      // A posted address is the model's to fetch, not the server's: what the provider cannot read itself is an error of the turn.
      experimental_download: async (files) => files.map(() => null),
      // Results of this turn's own tools are bounded for the next step like older ones.
      prepareStep: ({ messages }) => ({ messages: boundPrompt(messages) }),
      ...(options?.abortSignal === undefined ? {} : { abortSignal: options.abortSignal }),
      // The turn reports errors itself.
      onError: () => undefined,
    });
  }

  /** What clients are told of a failed turn. Not asked for cancelled and interrupted ones. Returning the error itself (the default) tells them safe text for its kind; a string or another error is told as it is. */
  onChatError(error: unknown, _context: ChatErrorContext): unknown {
    return error;
  }

  /** A last change to an answer before it is stored; keep its id. Its chunks have been streamed by then. Throwing keeps it from being stored and fails the turn. */
  onSanitizeMessage(message: UIMessage): UIMessage {
    return message;
  }

  /** Whether somebody may do something; asked for every way in. Default: everybody may do everything. */
  authorize(_action: Action, _who: Who): Authorization | Promise<Authorization> {
    return allowed;
  }

  /** The StreamBuffer of this conversation: a facet of it, unless overridden to return the stub of a shared object. */
  streamBufferActor(): StreamBufferContract {
    return facet<StreamBufferContract>(this.ctx, "StreamBuffer");
  }

  // ── reading and calling ────────────────────────────────────────────────

  /**
   * The newest whole turns of the active path within `contextBytes`, oldest first. Do not change the array. Assigning
   * replaces the whole transcript and tells every client; ids must be unique. Throws `conflict` while a turn runs or waits.
   */
  get messages(): UIMessage[] {
    return this.#built.parts.window.messages();
  }

  set messages(messages: UIMessage[]) {
    this.#built.replaceMessages(messages);
  }

  /** Everything of the active path, oldest first. */
  async getMessages(): Promise<UIMessage[]> {
    return allMessages(this.#built.parts);
  }

  /** Whether a turn runs or waits its turn. */
  get isStreaming(): boolean {
    return this.#built.parts.running.stream !== null || this.#built.parts.queue.isActive;
  }

  async chat(message: string | UIMessage, callback: StreamCallback, options: ChatOptions = {}): Promise<void> {
    await chatOverRpc(this.#built.parts, message, callback, options);
  }

  /** Cancels the turn with this request id, as `onStart` of a callback told it; what was generated is kept. Unknown and ended ids are ignored. */
  async cancelChat(requestId: string): Promise<void> {
    cancelTurn(this.#built.parts, requestId);
  }

  async inspectTurn(): Promise<TurnReport | null> {
    return reportOf(this.#built.parts);
  }

  async configure<T>(config: T): Promise<void> {
    this.#built.config.set(config);
  }

  /** A copy of what `configure` stored; null before the first call. */
  getConfig<T>(): T | null {
    return this.#built.config.get() as T | null;
  }

  /** Asked by the Agent before a request is forwarded to a child of this conversation. */
  override async onBeforeSubAgent(
    request: Request,
    _child: { className: string; name: string },
  ): Promise<Request | Response | void> {
    return this.#built.refuseChild(request);
  }
}
