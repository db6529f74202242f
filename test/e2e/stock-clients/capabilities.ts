/** What every client can do here: one story each, told in the same words for all of them. */
import { expect } from "vitest";
import type { HeldProvider } from "../held-provider.ts";
import type { Seat } from "./seat.ts";

/** One client at one conversation. */
export interface Scene {
  readonly provider: HeldProvider;
  /** Another seat of the same client at the same conversation. */
  open(): Promise<Seat>;
  stored(): Promise<string[]>;
  /** Breaks every connection; returns how many. */
  cut(): number;
  /** Breaks every connection, and lets no new one pass while `act` runs. */
  whileDown(act: () => Promise<void>): Promise<void>;
}

export interface Capability {
  readonly id: string;
  /** A row of the table. */
  readonly title: string;
  run(scene: Scene): Promise<void>;
}

const patience = { timeout: 30_000, interval: 40 };

export function shows(seat: Seat, ...messages: readonly string[]): Promise<void> {
  return expect.poll(() => seat.list(), patience).toEqual(messages);
}

export function rests(seat: Seat): Promise<void> {
  return expect.poll(() => seat.isBusy(), patience).toBe(false);
}

/** The client is done and shows what is stored. */
export async function settles(scene: Scene, seat: Seat, ...messages: readonly string[]): Promise<void> {
  await shows(seat, ...messages);
  await rests(seat);
  expect(await scene.stored()).toEqual(messages);
}

/** The same, and at no moment did it show anything but a beginning of these messages. */
export async function agree(scene: Scene, seat: Seat, ...messages: readonly string[]): Promise<void> {
  await settles(scene, seat, ...messages);
  const shown = await seat.everShown();
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.filter((line) => !messages.some((message) => message.startsWith(line)))).toEqual([]);
}

const DELTAS = Array.from({ length: 5_000 }, (_, at) => `${at} `);

export const capabilities: readonly Capability[] = [
  {
    id: "send",
    title: "send",
    async run(scene) {
      const seat = await scene.open();
      await seat.send("hello");
      const answer = await scene.provider.next();
      answer.say("Hi.");
      answer.end();
      await agree(scene, seat, "user: hello", "assistant: Hi.");
      await seat.send("more");
      const second = await scene.provider.next();
      second.say("Yes.");
      second.end();
      await agree(scene, seat, "user: hello", "assistant: Hi.", "user: more", "assistant: Yes.");
    },
  },
  {
    id: "stream",
    title: "stream",
    async run(scene) {
      const seat = await scene.open();
      await seat.send("hello");
      const answer = await scene.provider.next();
      answer.say("one ");
      await shows(seat, "user: hello", "assistant: one ");
      answer.say("two ");
      await shows(seat, "user: hello", "assistant: one two ");
      answer.say("three");
      answer.end();
      await agree(scene, seat, "user: hello", "assistant: one two three");
    },
  },
  {
    id: "stop",
    title: "stop",
    async run(scene) {
      const seat = await scene.open();
      await seat.send("hello");
      const answer = await scene.provider.next();
      answer.say("half");
      await shows(seat, "user: hello", "assistant: half");
      await seat.stop();
      await answer.cancelled;
      await agree(scene, seat, "user: hello", "assistant: half");
      await seat.reload();
      await agree(scene, seat, "user: hello", "assistant: half");
    },
  },
  {
    id: "clear",
    title: "clear",
    async run(scene) {
      const seat = await scene.open();
      await seat.send("hello");
      const answer = await scene.provider.next();
      answer.say("half");
      await shows(seat, "user: hello", "assistant: half");
      await seat.clear();
      await answer.cancelled;
      await settles(scene, seat);
      await seat.send("anew");
      const second = await scene.provider.next();
      second.say("New.");
      second.end();
      await settles(scene, seat, "user: anew", "assistant: New.");
      await seat.clear();
      await settles(scene, seat);
      await seat.reload();
      await settles(scene, seat);
    },
  },
  {
    id: "reload",
    title: "reload in mid-answer",
    async run(scene) {
      const seat = await scene.open();
      await seat.send("hello");
      const answer = await scene.provider.next();
      answer.say("before ");
      await shows(seat, "user: hello", "assistant: before ");
      await seat.reload();
      await shows(seat, "user: hello", "assistant: before ");
      answer.say("after");
      await shows(seat, "user: hello", "assistant: before after");
      answer.end();
      await agree(scene, seat, "user: hello", "assistant: before after");
      await seat.reload();
      await agree(scene, seat, "user: hello", "assistant: before after");
    },
  },
  {
    id: "second-tab",
    title: "second tab in mid-answer",
    async run(scene) {
      const first = await scene.open();
      await first.send("hello");
      const answer = await scene.provider.next();
      answer.say("one ");
      await shows(first, "user: hello", "assistant: one ");
      const second = await scene.open();
      await shows(second, "user: hello", "assistant: one ");
      answer.say("two");
      await shows(first, "user: hello", "assistant: one two");
      await shows(second, "user: hello", "assistant: one two");
      answer.end();
      await agree(scene, first, "user: hello", "assistant: one two");
      await agree(scene, second, "user: hello", "assistant: one two");
    },
  },
  {
    id: "cuts",
    title: "connection cut twice in one answer",
    async run(scene) {
      const seat = await scene.open();
      await seat.send("hello");
      const answer = await scene.provider.next();
      answer.say("one ");
      await shows(seat, "user: hello", "assistant: one ");
      expect(scene.cut()).toBeGreaterThan(0);
      answer.say("two ");
      await shows(seat, "user: hello", "assistant: one two ");
      expect(scene.cut()).toBeGreaterThan(0);
      answer.say("three");
      await shows(seat, "user: hello", "assistant: one two three");
      answer.end();
      await agree(scene, seat, "user: hello", "assistant: one two three");
    },
  },
  {
    id: "away",
    title: "answer that ends while the connection is gone",
    async run(scene) {
      const seat = await scene.open();
      await seat.send("hello");
      const answer = await scene.provider.next();
      answer.say("one ");
      await shows(seat, "user: hello", "assistant: one ");
      await scene.whileDown(async () => {
        answer.say("two");
        answer.end();
        await expect.poll(() => scene.stored(), patience).toEqual(["user: hello", "assistant: one two"]);
      });
      await agree(scene, seat, "user: hello", "assistant: one two");
    },
  },
  {
    id: "burst",
    title: "5,000 deltas at once",
    async run(scene) {
      const seat = await scene.open();
      await seat.send("hello");
      const answer = await scene.provider.next();
      answer.sayAll(DELTAS);
      await shows(seat, "user: hello", `assistant: ${DELTAS.join("")}`);
      // Once more, as a replay.
      await seat.reload();
      await shows(seat, "user: hello", `assistant: ${DELTAS.join("")}`);
      answer.end();
      await agree(scene, seat, "user: hello", `assistant: ${DELTAS.join("")}`);
    },
  },
];
