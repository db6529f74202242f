/** A connection that keeps the frames it is sent, in order. */
import type { ChatConnection } from "../../src/chat/chat-connection.ts";
import { type ServerFrame, serverFrameProblem } from "../../src/shared/server-frames.ts";

export interface RecordingConnection extends ChatConnection {
  readonly frames: ServerFrame[];
}

/** Frames that the wire does not know make `send` throw. */
export function recordingConnection(id: string): RecordingConnection {
  const frames: ServerFrame[] = [];
  return {
    id,
    frames,
    send: (message) => void frames.push(checked(JSON.parse(message))),
  };
}

function checked(frame: unknown): ServerFrame {
  const problem = serverFrameProblem(frame);
  if (problem !== null) throw new Error(`no frame of a server, for ${problem}: ${JSON.stringify(frame)}`);
  return frame as ServerFrame;
}
