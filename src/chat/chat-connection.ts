/** What the chat layer needs of a connection (`Connection` of the Agents SDK is one), and the one way to send through it. */
import { logWarning } from "../shared/platform/log.ts";
import type { ServerFrame } from "../shared/wire.ts";

export interface ChatConnection {
  readonly id: string;
  readonly readyState?: number;
  send(message: string): void;
}

/** Sends one frame. A socket that has gone is no error: its client asks again when it is back. */
export function sendFrame(connection: ChatConnection, frame: ServerFrame): void {
  sendText(connection, JSON.stringify(frame));
}

/** The same for a frame that is text already, so that many sockets share one encoding. */
export function sendText(connection: ChatConnection, text: string): void {
  try {
    connection.send(text);
  } catch (error) {
    // The runtime throws for a socket that is closing; its close event cleans up.
    const isClosing = connection.readyState !== undefined && connection.readyState !== WebSocket.OPEN;
    if (!isClosing) logWarning("chat.send-failed", { connectionId: connection.id, error: String(error) });
  }
}
