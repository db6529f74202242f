/** What a client of each subject sends and hears: the chat protocol of Troupe and its peers, and the plain one of the floors. */

/** A question to a floor; answered with `{id, chunk}` frames and `{id, done: true}`. */
export interface Asked {
  readonly id: string;
  readonly text: string;
}

export type Heard =
  | { readonly kind: "delta"; readonly text: string }
  | { readonly kind: "end" }
  /** The transcript, or the newest page of it. */
  | { readonly kind: "list"; readonly messages: number }
  /** A running stream that a new socket may take. */
  | { readonly kind: "offer"; readonly take: string }
  | { readonly kind: "other" };

export interface Dialect {
  ask(id: string, text: string): string;
  hear(frame: string): Heard;
}

const other: Heard = { kind: "other" };

/** The frames `cf_agent_…`. */
export const chatDialect: Dialect = {
  ask: (id, text) => {
    const messages = [{ id: `${id}-user`, role: "user", parts: [{ type: "text", text }] }];
    return JSON.stringify({
      type: "cf_agent_use_chat_request",
      id,
      init: { method: "POST", body: JSON.stringify({ messages }) },
    });
  },
  hear: (text) => {
    const frame = JSON.parse(text) as {
      type?: string;
      id?: string;
      body?: string;
      done?: boolean;
      messages?: unknown[];
    };
    switch (frame.type) {
      case "cf_agent_use_chat_response":
        if (frame.done === true) return { kind: "end" };
        return frame.body === undefined || frame.body === "" ? other : heardChunk(JSON.parse(frame.body));
      case "cf_agent_chat_messages":
        return { kind: "list", messages: frame.messages?.length ?? 0 };
      case "cf_agent_stream_resuming":
        return { kind: "offer", take: JSON.stringify({ type: "cf_agent_stream_resume_ack", id: frame.id }) };
      default:
        return other;
    }
  },
};

/** `{id, text}` there, `{id, chunk}` and `{messages}` back. */
export const plainDialect: Dialect = {
  ask: (id, text) => JSON.stringify({ id, text } satisfies Asked),
  hear: (text) => {
    const frame = JSON.parse(text) as { chunk?: unknown; done?: boolean; messages?: unknown[] };
    if (frame.done === true) return { kind: "end" };
    if (frame.messages !== undefined) return { kind: "list", messages: frame.messages.length };
    return heardChunk(frame.chunk);
  },
};

function heardChunk(chunk: unknown): Heard {
  const { type, delta } = chunk as { type?: string; delta?: string };
  return type === "text-delta" && delta !== undefined ? { kind: "delta", text: delta } : other;
}
