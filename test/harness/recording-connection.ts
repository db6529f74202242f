/** A connection that keeps the frames it is sent, in order. */
import type { ChatConnection } from "../../src/chat/chat-connection.ts";
import type { ServerFrame } from "../../src/shared/wire.ts";
import { serverFrameSchema } from "../../src/shared/wire.ts";

export interface RecordingConnection extends ChatConnection {
  readonly frames: ServerFrame[];
}

/** Frames that the wire's schema does not know make `send` throw. */
export function recordingConnection(id: string): RecordingConnection {
  const frames: ServerFrame[] = [];
  return {
    id,
    frames,
    send: (message) => void frames.push(serverFrameSchema.parse(JSON.parse(message)) as ServerFrame),
  };
}
