/** What a conversation does about each frame and request of the chat protocol, once `authorize` has agreed. */
import type { Connection } from "agents";
import { sendFrame } from "../../chat/chat-connection.ts";
import type { ChatProtocolCallbacks } from "../../chat/setup-chat-protocol.ts";
import { isToolPart } from "../../shared/message-parts.ts";
import { CHAT_MESSAGE_TYPES, type ClientFrameOf, parseChatBody, type ServerFrame } from "../../shared/wire.ts";
import {
  foreignOrigin,
  originAllowed,
  refusalCloseCode,
  refusalCode,
  refusalText,
  type Verdict,
  verdictOf,
} from "./access.ts";
import type { Action } from "./contract.ts";
import type { ConversationHost } from "./host.ts";
import type { ConversationParts } from "./parts.ts";
import { principalOf, rememberPrincipal } from "./principal.ts";
import { handleHttp } from "./routes.ts";
import { terminalFrame } from "./sessions/announce.ts";
import { answerProbe, offerStream, takeAck } from "./sessions/resume.ts";
import { understands } from "./sessions/sockets.ts";
import { allMessages, openingFrame } from "./transcript/view.ts";
import { admit, type Admission, isLater } from "./turn/admission.ts";
import { answerCall, type CallAnswer } from "./turn/answer-call.ts";
import { cancelTurn, clearConversation } from "./turn/cancel.ts";

export function chatCallbacks(agent: ConversationHost, parts: ConversationParts): ChatProtocolCallbacks {
  const permit = gate(agent);
  return {
    getMessages: () => allMessages(parts),
    onUpgrade: (request) => (originAllowed(request, agent.cors) ? undefined : foreignOrigin()),
    onConnect: (connection, { request }) => openSocket(agent, parts, connection, request),
    onClose: (connection) => parts.sockets.forget(connection),
    onHttpRequest: (request) =>
      handleHttp(
        parts,
        { cors: () => agent.cors, authorize: (action) => verdictOf(agent, action, { request, principal: null }) },
        request,
      ),
    onInvalidFrame: (connection, { id, code, problem, toolCallId }) =>
      id === undefined
        ? sendFrame(connection, errorFrame(code, problem, toolCallId))
        : sendFrame(connection, refusedFrame(id, code, problem)),
    onChatRequest: (connection, frame) =>
      permit(
        "send",
        connection,
        () => requestTurn(parts, connection, frame.id, frame.init.body, principalOf(agent, connection)),
        (code, text) => refusedFrame(frame.id, code, text),
      ),
    onCancel: (requestId, connection) => permit("cancel", connection, () => cancelTurn(parts, requestId)),
    onClear: (connection) => permit("clear", connection, () => clearConversation(parts)),
    onResumeRequest: (connection, frame) => permit("resume", connection, () => answerProbe(parts, connection, frame)),
    onResumeAck: (connection, frame) => permit("resume", connection, () => takeAck(parts, connection, frame)),
    onToolResult: (connection, frame) =>
      permit("tool-result", connection, () => takeAnswer(parts, connection, resultOf(frame))),
    onToolApproval: (connection, { toolCallId, approved, autoContinue = false }) =>
      permit("tool-approval", connection, () =>
        takeAnswer(parts, connection, { kind: "decision", toolCallId, approved, goOn: autoContinue }),
      ),
    // A posted list changes nothing; its sender learns what the transcript is.
    onMessages: (connection) =>
      permit("read", connection, () => sendFrame(connection, openingFrame(parts, understands(connection, "delta")))),
  };
}

/** A result as the client tells it; an error without a text is a refusal. */
function resultOf(frame: ClientFrameOf<typeof CHAT_MESSAGE_TYPES.TOOL_RESULT>): CallAnswer {
  const { toolCallId, output, autoContinue = false, clientTools } = frame;
  return {
    kind: "result",
    toolCallId,
    output: output ?? null,
    goOn: autoContinue,
    ...(frame.state === "output-error" ? { errorText: frame.errorText ?? "Tool execution denied by user" } : {}),
    ...(clientTools === undefined ? {} : { clientTools }),
  };
}

/** A late or forged answer changes nothing; its sender learns where the call stands. */
function takeAnswer(parts: ConversationParts, connection: Connection, answer: CallAnswer): void {
  if (answerCall(parts, answer)) return;
  const message = parts.window
    .messages()
    .findLast(({ parts }) => parts.some((part) => isToolPart(part) && part.toolCallId === answer.toolCallId));
  if (message !== undefined) sendFrame(connection, { type: CHAT_MESSAGE_TYPES.MESSAGE_UPDATED, message });
  sendFrame(connection, noPendingCall(answer.toolCallId));
}

type Refuse = (code: ReturnType<typeof refusalCode>, text: string) => ServerFrame;

/**
 * Runs `act` if the socket's principal may; in the same synchronous stretch when `authorize` is synchronous. Frames of
 * one socket are acted on in the order they came, however long each decision takes.
 */
function gate(agent: ConversationHost) {
  const deciding = new WeakMap<Connection, Promise<Verdict>>();
  return (
    action: Action,
    connection: Connection,
    act: () => void | Promise<void>,
    refuse: Refuse = (code, text) => errorFrame(code, text),
  ): void | Promise<void> => {
    const verdict = verdictOf(agent, action, { request: null, principal: principalOf(agent, connection) });
    const follow = (decided: Verdict): void | Promise<void> =>
      decided.allow ? act() : sendFrame(connection, refuse(refusalCode(decided), refusalText(decided)));
    const earlier = deciding.get(connection);
    if (earlier === undefined && !(verdict instanceof Promise)) return follow(verdict);
    const decision = Promise.all([verdict, earlier]).then(([decided]) => decided);
    deciding.set(connection, decision);
    return decision.then((decided) => {
      if (deciding.get(connection) === decision) deciding.delete(connection);
      return follow(decided);
    });
  };
}

/** A socket hears everything, so who opens one must be allowed to connect and to read. */
async function mayOpen(agent: ConversationHost, request: Request): Promise<Verdict> {
  const connect = await verdictOf(agent, "connect", { request, principal: null });
  if (!connect.allow) return connect;
  const read = await verdictOf(agent, "read", { request, principal: connect.principal ?? null });
  return read.allow ? connect : read;
}

async function openSocket(
  agent: ConversationHost,
  parts: ConversationParts,
  connection: Connection,
  request: Request,
): Promise<boolean> {
  parts.sockets.hold(connection);
  const verdict = await mayOpen(agent, request);
  if (!verdict.allow) {
    connection.close(refusalCloseCode(verdict), refusalText(verdict).slice(0, 100));
    return false;
  }
  parts.sockets.let(connection);
  rememberPrincipal(agent, connection, verdict.principal ?? null);
  offerStream(parts, connection);
  sendFrame(connection, openingFrame(parts, understands(connection, "delta")));
  return true;
}

function requestTurn(
  parts: ConversationParts,
  connection: Connection,
  requestId: string,
  text: string,
  principal: unknown,
): void {
  const parsed = parseChatBody(text);
  if (!parsed.ok) {
    sendFrame(connection, refusedFrame(requestId, parsed.code, parsed.problem));
    return;
  }
  answerAdmission(connection, requestId, admit(parts, { requestId, body: parsed.body, principal }));
}

function answerAdmission(connection: Connection, requestId: string, admission: Admission): void {
  switch (admission.kind) {
    case "admitted":
      return;
    case "repeated":
      // The sender may have missed the ending; whatever has not ended will still reach it.
      if (admission.record.ending) sendFrame(connection, terminalFrame(requestId, admission.record.ending));
      return;
    case "skipped":
      sendFrame(connection, terminalFrame(requestId, { state: "superseded", messageIds: [] }));
      return;
    case "refused":
      sendFrame(connection, refusedFrame(requestId, admission.code, admission.problem));
      return;
    default:
      admission satisfies never;
  }
}

function refusedFrame(
  requestId: string,
  code: Extract<Admission, { kind: "refused" }>["code"],
  message: string,
): ServerFrame {
  return terminalFrame(requestId, {
    state: "failed",
    error: { code, message, retryable: isLater(code) },
    messageIds: [],
  });
}

function errorFrame(
  code: Extract<ServerFrame, { type: "cf_agent_chat_error" }>["code"],
  message: string,
  toolCallId?: string,
): ServerFrame {
  return { type: CHAT_MESSAGE_TYPES.CHAT_ERROR, code, message, ...(toolCallId === undefined ? {} : { toolCallId }) };
}

function noPendingCall(toolCallId: string): ServerFrame {
  return errorFrame("no_pending_call", "No tool call with this id waits for an answer.", toolCallId);
}
