/** A random schedule: what happens next to clients, network and server, and how all of it comes to rest. */
import { CHAT_MESSAGE_TYPES as T } from "../../shared/wire-words.ts";
import type { ModelServer } from "./model-server.ts";
import type { Connection, Link } from "./network.ts";
import type { Random } from "./random.ts";
import type { Face, Tab } from "./tab.ts";

export interface Actor {
  readonly tab: Tab;
  readonly face: Face;
}

/** What a schedule is full of; the odds of each are out of a hundred. */
export interface Weather {
  /** A person leaves the page and comes back, and sockets are replaced while others open. */
  readonly leaves: number;
  /** Frames wait and come many at a time. */
  readonly batches: number;
  /** A connection goes dead without a word, and the answer to a probe never comes. */
  readonly dies: number;
  /** A person reads what was said earlier. */
  readonly reads: number;
}

export interface Walk {
  readonly random: Random;
  readonly weather: Weather;
  readonly actors: readonly Actor[];
}

/** One thing happens. Resolves when what was promised about it has been done. */
export async function oneStep(walk: Walk): Promise<void> {
  const { random, weather, actors } = walk;
  const actor = actors[random.below(actors.length)];
  if (actor === undefined) return;
  const { server } = actor.tab;
  const dice = random.below(100);
  if (dice < 30) deliver(walk, actor, (link) => link.deliverToClient());
  else if (dice < 45) deliver(walk, actor, (link) => link.deliverToServer());
  else if (dice < 60) server.turns.advance();
  else if (dice < 65) server.replay();
  else if (dice < 75) actor.tab.paint();
  else if (dice < 85 && random.chance(weather.leaves)) comeAndGo(random, actor);
  else if (dice < 85) act(walk, actor);
  else if (dice < 93) await disturb(walk, actor);
  else breakServer(walk, server);
}

/** Mostly the newest socket; now and then one that its client has left. */
function deliver({ random, weather }: Walk, { tab }: Actor, move: (link: Link) => void): void {
  const link = random.chance(80) ? tab.link : tab.links[random.below(tab.links.length)];
  if (link === undefined) return;
  for (let left = random.chance(weather.batches) ? random.below(30) : 1; left > 0; left--) move(link);
}

function act({ random, weather }: Walk, { face }: Actor): void {
  // A page that cannot be read is the caller's to see; here nobody looks.
  if (random.chance(weather.reads)) return void face.loadOlder().catch(() => undefined);
  const dice = random.below(18);
  if (dice < 11) face.send("hello");
  else if (dice < 12) face.send("refuse this");
  else if (dice < 14) face.stop();
  else if (dice < 17) face.retry();
  else face.clear();
}

function comeAndGo(random: Random, { face }: Actor): void {
  face.leave(random.below(4));
  for (let more = random.below(3); more > 0; more--) {
    face.comeBack();
    face.leave(random.below(4));
  }
  face.comeBack();
}

async function disturb(walk: Walk, actor: Actor): Promise<void> {
  const { random, weather } = walk;
  const { tab } = actor;
  const { link } = tab;
  const connection = link?.connection ?? null;
  if (link === undefined) return;
  if (connection === null || random.chance(weather.leaves / 5)) return link.dial();
  const dice = random.below(20);
  if (random.chance(weather.dies)) return lame(random, connection);
  if (random.chance(8)) tab.ring();
  if (dice < 4) link.drop();
  else if (dice < 5) link.hangUp();
  else if (dice < 8) endOld(random, tab);
  else if (dice < 11) doubleOne(random, connection);
  else if (dice < 12) loseChunk(walk, tab, connection);
  else await movePage(random, tab);
}

/** What is left of an old connection: a frame that was sent on it arrives, or the server learns that it is gone. */
function endOld(random: Random, { links }: Tab): void {
  const link = links[random.below(links.length)];
  const [old] = link?.lost ?? [];
  if (random.chance(50) && old !== undefined) link?.deliverToServer(old);
  else link?.forgetLost();
}

function doubleOne(random: Random, { toClient }: Connection): void {
  const at = random.below(toClient.length + 1);
  const arrival = toClient[at];
  if (typeof arrival === "object" && arrival.type === T.USE_CHAT_RESPONSE) toClient.splice(at, 0, arrival);
}

/** Nothing passes any more, or the answer to a probe is never given. */
function lame(random: Random, connection: Connection): void {
  if (random.chance(50)) connection.isDead = true;
  else connection.swallows++;
}

/** A server that cannot send a chunk goes on with the next one. */
function loseChunk(walk: Walk, { server }: Tab, { toClient }: Connection): void {
  const { random } = walk;
  const at = random.below(toClient.length + 1);
  const frame = toClient[at];
  if (typeof frame !== "object" || frame.type !== T.USE_CHAT_RESPONSE) return;
  if (frame.seq === undefined || frame.replay === true) return;
  toClient.splice(at, 1);
  mayShrink(walk, server.turns.byRequest(frame.id)?.messageId);
}

async function movePage(random: Random, { pages }: Tab): Promise<void> {
  const at = random.below(pages.length || 1);
  const page = pages[at];
  if (page === undefined) return;
  const isLost = random.chance(25);
  if (!page.isRead && !isLost) return page.read();
  pages.splice(at, 1);
  if (isLost) page.fail();
  else page.deliver();
  await promised();
}

function breakServer(walk: Walk, server: ModelServer): void {
  const { random, actors } = walk;
  const dice = random.below(20);
  if (dice < 8) return server.turns.store();
  if (dice < 15) return server.turns.fail();
  mayShrink(walk, server.turns.current?.messageId);
  if (dice < 17) return server.turns.loseChunks();
  if (random.chance(20)) server.turns.damage();
  server.crash();
  for (const { tab } of actors) if (tab.server === server) for (const link of tab.links) link.hangUp();
}

/** What people have seen of the message may be more than anybody can tell again. */
function mayShrink({ actors }: Walk, messageId: string | undefined): void {
  for (const { tab } of actors) if (messageId !== undefined) tab.witness.cut.add(messageId);
}

/** Lets everything come that is on its way, over connections that hold, and time pass, until nothing moves. */
export async function settle(walk: Walk): Promise<void> {
  await comeToRest(walk);
  // What became of a request whose record is damaged is told only when a probe finds the server idle.
  const damaged = walk.actors.filter(({ tab }) => tab.server.turns.isDamaged);
  for (const { tab } of damaged) tab.link?.drop();
  if (damaged.length > 0) await comeToRest(walk);
}

async function comeToRest({ actors }: Walk): Promise<void> {
  const servers = new Set(actors.map(({ tab }) => tab.server));
  for (let round = 0; round < 2_000; round++) {
    for (const { tab } of actors) settleTab(tab);
    await promised();
    if ([...servers].every((server) => server.isAtRest) && actors.every(({ tab }) => tab.isQuiet)) {
      if (!actors.some(({ tab }) => tab.ring())) break;
    }
    for (const server of servers) {
      server.turns.advance();
      server.replay();
    }
  }
  for (const { tab } of actors) tab.paint();
}

function settleTab(tab: Tab): void {
  for (const link of tab.links) {
    if (link.connection?.isDead === true || link.isClosed) link.drop();
    while (link.lost.length > 0) link.forgetLost();
  }
  tab.links.splice(0, tab.links.length - 1);
  const { link } = tab;
  if (link?.connection === null) link.dial();
  link?.deliverToServer();
  link?.deliverToClient();
  for (const page of tab.pages.splice(0)) {
    if (!page.isRead) page.read();
    page.deliver();
  }
}

/** Lets what hangs on settled promises run; nothing here waits for anything else. */
export async function promised(): Promise<void> {
  for (let turns = 0; turns < 4; turns++) await Promise.resolve();
}
