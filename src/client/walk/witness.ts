/** Looks at what a person sees, each time, and compares it with what he saw before and with what the server has. */
import type { UIMessage } from "ai";
import { expect } from "vitest";
import { isSame } from "../same.ts";
import type { ChatView } from "../view.ts";
import type { ModelServer } from "./model-server.ts";

/** What a witness looks at. */
export type Seen = Pick<ChatView, "messages" | "hasMore" | "link" | "status" | "queued" | "waitingIds" | "streamingId">;

export class Witness {
  /** Messages that grew when the server or its storage died or a frame was lost: what people saw of them may shrink. */
  readonly cut = new Set<string>();
  readonly #server: ModelServer;
  readonly #lengths = new Map<string, number>();
  #seen: readonly UIMessage[] = [];

  constructor(server: ModelServer) {
    this.#server = server;
  }

  /** Somebody else looks from here on: a page that was opened anew. */
  forget(): void {
    this.#seen = [];
    this.#lengths.clear();
  }

  look({ messages }: Pick<Seen, "messages">): void {
    if (messages === this.#seen) return;
    const before = new Map(this.#seen.map((message) => [message.id, message]));
    for (const message of messages) this.#lookAt(message, before.get(message.id));
    const ids = messages.map(({ id }) => id);
    if (new Set(ids).size < ids.length) expect(ids, "each message once").toEqual([...new Set(ids)]);
    this.#seen = messages;
  }

  /** Without messages that the server would not take. */
  checkAtRest(view: Seen): void {
    const transcript = this.#server.turns.listed();
    const shown = view.messages;
    const expected = transcript.slice(-shown.length || transcript.length);
    expect(idsOf(shown), "the order is the server's").toEqual(idsOf(expected));
    expect(shown, "the client shows what the server has").toEqual(expected);
    if (!view.hasMore) expect(shown.length, "and all of it").toBe(transcript.length);
    expect(shown.length, "and not nothing").toBeGreaterThanOrEqual(Math.min(1, transcript.length));
    expect(view.link).toBe("open");
    expect(["ready", "error"]).toContain(view.status);
    expect([view.queued, view.waitingIds, view.streamingId]).toEqual([0, [], null]);
  }

  #lookAt(message: UIMessage, before: UIMessage | undefined): void {
    if (message === before) return;
    if (before && isSame(before, message)) expect(message, "unchanged means the same object").toBe(before);
    if (message.role === "user") return;
    this.#checkSaid(message);
    const length = textOf(message).length;
    const atLeast = this.#lengths.get(message.id) ?? 0;
    const mayShrink = length >= atLeast || this.cut.has(message.id) || !this.#server.has(message.id);
    if (!mayShrink) expect(length, `text of ${message.id} grows`).toBeGreaterThanOrEqual(atLeast);
    this.#lengths.set(message.id, length);
  }

  /** Whatever is lost or late: people see what the model said, from its beginning, without a gap. */
  #checkSaid(message: UIMessage): void {
    const { turns, options } = this.#server;
    const said = turns.said.get(message.id) ?? "";
    if (!options.isRecovering && !said.startsWith(textOf(message))) expect(textOf(message)).toBe(said);
  }
}

function idsOf(messages: readonly UIMessage[]): string {
  return messages.map(({ id }) => id).join(" ");
}

function textOf(message: UIMessage): string {
  return message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}
