/** Frames from the server, as the client reads them. */
import { type ServerFrame, serverFrameSchema } from "../shared/wire.ts";

export type ServerFrameOf<T extends ServerFrame["type"]> = Extract<ServerFrame, { type: T }>;

/** The frame in a socket message; null for everything that is not one of ours. Never throws. */
export function parseServerFrame(data: unknown): ServerFrame | null {
  if (typeof data !== "string" || !data.includes("cf_agent_")) return null;
  try {
    const parsed = serverFrameSchema.safeParse(JSON.parse(data));
    return parsed.success ? parsed.data : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
