/** Conversations on a clock that stands still until a test moves it: what they cost then depends on no machine. */
import { runInDurableObject } from "cloudflare:test";
import { afterAll, beforeAll } from "vitest";
import { Conversation } from "../src/index.ts";
import { TestConversation } from "../test/harness/agents.ts";
import { conversation } from "../test/harness/chat-socket.ts";
import { type ManualClock, manualClock } from "../test/harness/manual-clock.ts";

/** Call at the top of a file: the conversations that its tests make run on this clock, which starts now. */
export function holdClock(): ManualClock {
  const clock = manualClock(Date.now());
  beforeAll(() => {
    TestConversation.clock = clock;
  });
  afterAll(() => {
    TestConversation.clock = Conversation.clock;
  });
  return clock;
}

/** Moves the clock on inside the conversation: what a timer does there needs the object's own context. */
export async function advanceIn(name: string, clock: ManualClock, ms: number): Promise<void> {
  await runInDurableObject(conversation(name), () => clock.advance(ms));
}
