/** One turn over RPC: the same admission, loop and persistence as a socket's, reported through a callback. */
import type { UIMessage } from "ai";
import { TroupeError } from "../../shared/errors.ts";
import { logError } from "../../shared/platform/log.ts";
import type { ChatOptions, StreamCallback } from "./contract.ts";
import type { ConversationParts } from "./parts.ts";
import { userMessage } from "./transcript/intake.ts";
import { admit } from "./turn/admission.ts";
import { cancelTurn } from "./turn/cancel.ts";
import type { StreamReader } from "./turn/live-stream.ts";
import type { TurnEnding } from "./turn/turn.ts";

export async function chatOverRpc(
  parts: ConversationParts,
  message: string | UIMessage,
  callback: StreamCallback,
  { signal }: ChatOptions,
): Promise<void> {
  if (signal?.aborted === true) return;
  const requestId = crypto.randomUUID();
  const relay = relayTo(callback, signal);
  relay.say(() => callback.onStart?.({ requestId }));
  const body = { messages: [asMessage(message)] };
  const admission = admit(parts, { requestId, body, principal: null, kind: "programmatic", reader: relay.reader });
  const onAbort = (): void => cancelTurn(parts, requestId);
  signal?.addEventListener("abort", onAbort);
  try {
    const ending: TurnEnding | string =
      admission.kind === "admitted" ? await admission.ended : admission.kind === "refused" ? admission.problem : "";
    relay.say(() => report(callback, ending));
    await relay.settled();
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

function report(callback: StreamCallback, ending: TurnEnding | string): unknown {
  if (ending === "") return callback.onDone();
  if (typeof ending === "string") return callback.onError?.(ending);
  if (ending.state === "completed") return callback.onDone();
  return callback.onError?.(ending.error?.message ?? "The turn was cancelled.");
}

/** Calls the callback one after the other; after the caller's signal it is silent. A callback that throws ends the relay, not the turn. */
function relayTo(callback: StreamCallback, signal: AbortSignal | undefined) {
  let isSilent = false;
  let queue: Promise<void> = Promise.resolve();
  const sayNow = async (call: () => unknown): Promise<void> => {
    if (isSilent || signal?.aborted === true) return;
    try {
      await call();
    } catch (error) {
      isSilent = true;
      logError("chat.callback-failed", error);
    }
  };
  const say = (call: () => unknown): void => {
    queue = queue.then(() => sayNow(call));
  };
  const reader: StreamReader = { chunk: (_seq, body) => say(() => callback.onEvent(body)), ended: () => undefined };
  return { say, reader, settled: () => queue };
}

function asMessage(message: string | UIMessage): UIMessage {
  if (typeof message === "string") {
    return { id: `user_${crypto.randomUUID()}`, role: "user", parts: [{ type: "text", text: message }] };
  }
  const clean = userMessage(message);
  if (typeof clean === "string") throw new TroupeError("bad_request", `chat() got a message it cannot take: ${clean}.`);
  return clean;
}
