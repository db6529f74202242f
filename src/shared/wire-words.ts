/**
 * The words and limits of the wire, which server and browser share. No file
 * but this writes a frame type as a string. Imports nothing, so that a page
 * pays only for the words.
 */
export const CHAT_MESSAGE_TYPES = {
  USE_CHAT_REQUEST: "cf_agent_use_chat_request",
  USE_CHAT_RESPONSE: "cf_agent_use_chat_response",
  CHAT_MESSAGES: "cf_agent_chat_messages",
  CHAT_CLEAR: "cf_agent_chat_clear",
  CHAT_REQUEST_CANCEL: "cf_agent_chat_request_cancel",
  TOOL_RESULT: "cf_agent_tool_result",
  TOOL_APPROVAL: "cf_agent_tool_approval",
  MESSAGE_UPDATED: "cf_agent_message_updated",
  STREAM_RESUME_REQUEST: "cf_agent_stream_resume_request",
  STREAM_RESUME_ACK: "cf_agent_stream_resume_ack",
  STREAM_RESUMING: "cf_agent_stream_resuming",
  STREAM_RESUME_NONE: "cf_agent_stream_resume_none",
  STREAM_PENDING: "cf_agent_stream_pending",
  CHAT_RECOVERING: "cf_agent_chat_recovering",
  /** Ours: the end of the transcript changed; sent to clients with the `delta` capability. */
  CHAT_TAIL: "cf_agent_chat_tail",
  /** Ours: a frame that names no chat request was refused. */
  CHAT_ERROR: "cf_agent_chat_error",
} as const;

/** Largest text frame or HTTP body taken from a client, in bytes of UTF-8. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024;
/** Deepest nesting of arrays and objects in a frame or body. */
export const MAX_FRAME_DEPTH = 128;

/** The query parameter of a connection URL that announces what a client understands, comma-separated. */
export const CAPABILITY_PARAM = "chat-capabilities";
/** `delta`: bounded first page and `cf_agent_chat_tail` instead of full lists. `cursor`: an ACK may carry `after`. */
export const CAPABILITIES = ["delta", "cursor"] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** How a request ended, on its terminal frame. */
export const TURN_OUTCOMES = ["completed", "error", "aborted", "skipped", "recovering"] as const;
export type TurnOutcome = (typeof TURN_OUTCOMES)[number];
