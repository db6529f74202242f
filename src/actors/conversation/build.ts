/** Puts a conversation together: its parts, the override points bound to the instance, and the chat protocol in front of it. */
import type { UIMessage } from "ai";
import { setupChatProtocol } from "../../chat/setup-chat-protocol.ts";
import { TurnQueue } from "../../chat/turn-queue.ts";
import { AbortRegistry } from "../../shared/abort-registry.ts";
import type { Clock } from "../../shared/clock.ts";
import { TroupeError } from "../../shared/errors.ts";
import { openDatabase } from "../../shared/platform/database.ts";
import { logError } from "../../shared/platform/log.ts";
import { migrate } from "../../shared/platform/migrate.ts";
import { refusalResponse, verdictOf } from "./access.ts";
import { boundedBuffer } from "./bounded-buffer.ts";
import { ConfigStore } from "./config-store.ts";
import type { ConversationHost } from "./host.ts";
import { KeepAwake } from "./keep-awake.ts";
import { migrations } from "./migrations.ts";
import type { ConversationParts, Hooks } from "./parts.ts";
import { chatCallbacks } from "./protocol.ts";
import { Sockets } from "./sessions/sockets.ts";
import { MessageStore } from "./transcript/message-store.ts";
import { tellTail } from "./transcript/view.ts";
import { TranscriptWindow } from "./transcript/window.ts";
import { Followers } from "./turn/followers.ts";
import { settleOpenTurns } from "./turn/settle.ts";
import { TurnLog } from "./turn/turn-log.ts";
import { TurnMeter } from "./turn/turn-meter.ts";
import { runsOnServer } from "./turn/turn-tools.ts";

export interface BuiltConversation {
  readonly parts: ConversationParts;
  readonly config: ConfigStore;
  /** Replaces the whole transcript and tells every client. Throws `conflict` while a turn runs or waits. */
  replaceMessages(messages: readonly UIMessage[]): void;
  /** The answer that refuses a request for a child, or nothing. */
  refuseChild(request: Request): Promise<Response | undefined>;
}

/** Call once, in the constructor. Fields of the subclass are not set yet; nothing here reads them. */
export function buildConversation(
  agent: ConversationHost,
  storage: DurableObjectStorage,
  clock: Clock,
): BuiltConversation {
  const meter = new TurnMeter();
  const db = openDatabase(storage, meter.totals);
  migrate(db, migrations);
  const parts = buildParts(agent, db, clock, meter);
  const handler = setupChatProtocol(agent, chatCallbacks(agent, parts));
  agent.lifecycle.use(parts.awake);
  settleOpenTurns(parts, () => handler.ready());
  return {
    parts,
    config: new ConfigStore(db),
    replaceMessages: (messages) => replaceMessages(parts, messages),
    refuseChild: async (request) => {
      const verdict = await verdictOf(agent, "child", { request, principal: null });
      return verdict.allow ? undefined : refusalResponse(verdict);
    },
  };
}

function buildParts(
  agent: ConversationHost,
  db: ConversationParts["db"],
  clock: Clock,
  meter: TurnMeter,
): ConversationParts {
  const messages = new MessageStore(db);
  const buffer = () => boundedBuffer(agent.streamBufferActor(), clock, meter.totals.actorCalls);
  const retention = () => ({
    keepMs: agent.streamRetentionMs,
    sweep: async (beforeMs: number) => {
      try {
        return (await buffer().sweep(beforeMs)).oldestMs;
      } catch (error) {
        // The next turn arms the next sweep.
        logError("stream.not-swept", error);
        return null;
      }
    },
  });
  return {
    db,
    clock,
    meter,
    messages,
    turns: new TurnLog(db),
    window: new TranscriptWindow(messages, () => agent.contextBytes),
    queue: new TurnQueue(),
    aborts: new AbortRegistry(),
    sockets: new Sockets(
      { list: () => agent.getConnections(), isComplete: () => agent.parentPath.length === 0 },
      meter.totals,
    ),
    awake: new KeepAwake(agent, clock, retention),
    running: { stream: null },
    followers: new Followers(),
    hooks: hooksOf(agent),
    buffer,
  };
}

function hooksOf(agent: ConversationHost): Hooks {
  return {
    onChatMessage: (options) => agent.onChatMessage(options),
    onChatError: (error, context) => agent.onChatError(error, context),
    onSanitizeMessage: (message) => agent.onSanitizeMessage(message),
    runsTool: (name) => runsOnServer(agent, name),
    limits: () => ({ stallMs: agent.chatStreamStallTimeoutMs, maxChars: agent.maxAnswerChars }),
    flushLimits: () => agent.flushLimits,
    maxPersistedMessages: () => agent.maxPersistedMessages,
  };
}

function replaceMessages(parts: ConversationParts, messages: readonly UIMessage[]): void {
  if (parts.turns.open().length > 0) {
    throw new TroupeError("conflict", "`messages` cannot be replaced while a turn runs or waits; do it between turns.");
  }
  parts.db.transaction(() => {
    parts.messages.clear();
    let parent: number | null = null;
    for (const message of messages) parent = parts.messages.append(message, parent).seq;
  });
  parts.window.reload();
  tellTail(parts, null, [...messages]);
}
