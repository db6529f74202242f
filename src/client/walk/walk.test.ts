/**
 * Random walks over network schedules: two clients of one conversation, whose
 * sockets drop, whose frames are doubled and lost, while turns run, fail, are
 * stopped, repeated and cleared, and the server dies. `WALK_SEED` repeats one.
 */
import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { CHAT_MESSAGE_TYPES as T } from "../../shared/wire.ts";
import type { MessagePage } from "../address.ts";
import { ChatClient } from "../chat-client.ts";
import { isSame } from "../same.ts";
import { ModelServer } from "./model-server.ts";
import { Link } from "./network.ts";
import { type Random, randomOf } from "./random.ts";

const only = process.env["WALK_SEED"];
const seeds = only === undefined ? Array.from({ length: 300 }, (_, at) => at + 1) : [Number(only)];

describe("a client on a bad network", () => {
  it.each([0, 1, 2])("shows at rest what the server has, and ends each request once (part %i)", async (part) => {
    for (const seed of seeds.filter((seed) => seed % 3 === part)) await walk(seed);
  });
});

/** One client with its link, what it read over HTTP but has not got yet, and what it must remember to be checked. */
class Walker {
  readonly link: Link;
  readonly client: ChatClient;
  readonly requests = new Set<string>();
  readonly ends = new Map<string, number>();
  readonly pages: { serve(): void; deliver?: () => void }[] = [];
  readonly lengths = new Map<string, number>();
  /** Messages that grew when the server died or a frame was lost: what people saw of them may shrink once. */
  readonly cut = new Set<string>();
  readonly #server: ModelServer;
  #seen: readonly UIMessage[] = [];
  #notices: (() => void)[] = [];
  #ids = 0;

  constructor(name: string, server: ModelServer) {
    this.#server = server;
    this.link = new Link(server);
    const send = this.link.send.bind(this.link);
    this.link.send = (data) => {
      const frame = JSON.parse(data) as { type: string; id: string };
      if (frame.type === T.USE_CHAT_REQUEST) this.requests.add(frame.id);
      send(data);
    };
    this.client = new ChatClient({
      agent: "assistant",
      name: "walk",
      socket: () => this.link,
      pageSize: server.pageSize,
      readPage: (_, { before, limit }) => this.#read(() => server.page(before, limit)),
      schedule: (run) => this.#notices.push(run),
      newId: () => `${name}${++this.#ids}`,
      onTurnEnd: ({ requestId }) => this.ends.set(requestId, (this.ends.get(requestId) ?? 0) + 1),
    });
    this.client.subscribe(() => this.check());
    this.client.connect();
  }

  paint(): void {
    for (const notice of this.#notices.splice(0)) notice();
  }

  check(): void {
    const { messages } = this.client.getSnapshot();
    const ids = messages.map(({ id }) => id);
    expect([...new Set(ids)].join(" "), "each message once").toBe(ids.join(" "));
    for (const message of messages) this.#checkMessage(message);
    this.#seen = messages;
  }

  #checkMessage(message: UIMessage): void {
    const before = this.#seen.find(({ id }) => id === message.id);
    if (before && isSame(before, message)) expect(before, "unchanged means the same object").toBe(message);
    const length = textOf(message).length;
    const isGone = !this.#server.has(message.id) || this.cut.has(message.id);
    const atLeast = isGone ? 0 : (this.lengths.get(message.id) ?? 0);
    expect(length, `text of ${message.id} grows`).toBeGreaterThanOrEqual(atLeast);
    this.lengths.set(message.id, length);
  }

  #read(take: () => MessagePage): Promise<MessagePage> {
    return new Promise((resolve) => {
      const page: Walker["pages"][number] = {
        serve: () => {
          const taken = take();
          page.deliver = () => resolve(taken);
        },
      };
      this.pages.push(page);
    });
  }
}

async function walk(seed: number): Promise<void> {
  const random = randomOf(seed);
  const server = new ModelServer();
  const walkers = [new Walker("a", server), new Walker("b", server)];
  try {
    const steps = 40 + random.below(120);
    for (let at = 0; at < steps; at++) await oneStep(random, server, walkers);
    await settle(server, walkers);
    for (const walker of walkers) checkAtRest(server, walker);
  } catch (error) {
    throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
  }
}

async function oneStep(random: Random, server: ModelServer, walkers: Walker[]): Promise<void> {
  const walker = walkers[random.below(walkers.length)];
  if (walker === undefined) return;
  const dice = random.below(100);
  if (dice < 30) walker.link.deliverToClient();
  else if (dice < 45) walker.link.deliverToServer();
  else if (dice < 65) server.advance();
  else if (dice < 75) walker.paint();
  else if (dice < 85) person(random, walker);
  else if (dice < 95) network(random, walker);
  else accident(random, server, walkers);
  await Promise.resolve();
}

function person(random: Random, { client }: Walker): void {
  const dice = random.below(20);
  if (dice < 11) client.send("hello");
  else if (dice < 12) client.send("refuse this");
  else if (dice < 14) client.stop();
  else if (dice < 17) client.retry();
  else if (dice < 18) client.clear();
  else void client.loadOlder();
}

function network(random: Random, { link, pages, cut }: Walker): void {
  const dice = random.below(10);
  if (!link.isOpen) link.open();
  else if (dice < 2) link.drop();
  else if (dice < 4) doubleOne(random, link);
  else if (dice < 5) loseChunk(random, link, cut);
  else {
    pages.find((page) => page.deliver !== undefined)?.deliver?.();
    pages.find((page) => page.deliver === undefined)?.serve();
  }
}

function accident(random: Random, server: ModelServer, walkers: readonly Walker[]): void {
  if (random.chance(60)) return server.store();
  if (random.chance(50)) return server.fail();
  for (const walker of walkers) if (server.running) walker.cut.add(server.running.messageId);
  server.crash();
  for (const walker of walkers) {
    if (walker.link.isOpen) walker.link.drop();
  }
}

function doubleOne(random: Random, { toClient }: Link): void {
  const at = random.below(toClient.length + 1);
  const frame = toClient[at];
  if (frame?.type === T.USE_CHAT_RESPONSE) toClient.splice(at, 0, frame);
}

function loseChunk(random: Random, { toClient }: Link, cut: Set<string>): void {
  const at = random.below(toClient.length + 1);
  const frame = toClient[at];
  if (frame?.type !== T.USE_CHAT_RESPONSE || frame.seq === undefined || frame.replay === true) return;
  toClient.splice(at, 1);
  cut.add(`a-${frame.id.replaceAll("+", "")}`);
}

async function settle(server: ModelServer, walkers: readonly Walker[]): Promise<void> {
  for (let round = 0; round < 1_000; round++) {
    for (const { link, pages } of walkers) {
      if (!link.isOpen) link.open();
      link.deliverToServer();
      link.deliverToClient();
      for (const page of pages.splice(0)) {
        if (page.deliver === undefined) page.serve();
        page.deliver?.();
      }
    }
    server.advance();
    await Promise.resolve();
  }
  for (const walker of walkers) walker.paint();
}

function checkAtRest(server: ModelServer, { client, requests, ends, link }: Walker): void {
  const view = client.getSnapshot();
  expect([link.toClient.length, link.toServer.length], "everything is delivered").toEqual([0, 0]);
  const shown = view.messages.filter((message) => !textOf(message).includes("refuse"));
  const expected = server.transcript.slice(-shown.length || server.transcript.length);
  expect(shown.map(({ id }) => id).join(" "), "the order is the server's").toBe(expected.map(({ id }) => id).join(" "));
  expect(shown, "the client shows what the server has").toEqual(expected);
  if (!view.hasMore) expect(shown.length, "and all of it").toBe(server.transcript.length);
  expect(shown.length, "and not nothing").toBeGreaterThanOrEqual(Math.min(1, server.transcript.length));
  expect(["ready", "error"]).toContain(view.status);
  expect(view.queued).toBe(0);
  for (const id of requests) expect(ends.get(id), `request ${id} ends once`).toBe(1);
  for (const [id, count] of ends) expect(count, `turn ${id} ends at most once`).toBe(1);
}

function textOf(message: UIMessage): string {
  return message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}
