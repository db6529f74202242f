/** What the chat layer needs of a connection; `Connection` of the Agents SDK is one. */
import { logWarning } from "../shared/platform/log.ts";
import type { ServerFrame } from "../shared/wire.ts";

export interface ChatConnection {
  readonly id: string;
  send(message: string): void;
}

/** Sends one frame. A socket that has gone is no error: its client asks again when it is back. */
export function sendFrame(connection: ChatConnection, frame: ServerFrame): void {
  try {
    connection.send(JSON.stringify(frame));
  } catch (error) {
    logWarning("chat.send-failed", { connectionId: connection.id, frameType: frame.type, error: String(error) });
  }
}
