/**
 * The server that the client's random walks run against is a model. Here it and
 * the real one are put through the same scene, and say the same, frame by frame.
 */
import type { UIMessageChunk } from "ai";
import { expect, it } from "vitest";
import { ModelServer } from "../../src/client/walk/model-server.ts";
import type { ServerSocket } from "../../src/client/walk/model-socket.ts";
import type { ServerFrame } from "../../src/shared/server-frames.ts";
import type { ClientFrame } from "../../src/shared/wire.ts";
import { stage } from "../harness/agents.ts";
import { ChatSocket, userText } from "../harness/chat-socket.ts";
import { gate } from "../harness/scripted-model.ts";

/** What happens, in order. What the model says, and when, is the test's; an answer is `planOf` its number. */
type Step =
  | { readonly does: "open"; readonly socket: string; readonly capabilities?: string }
  | { readonly does: "send"; readonly socket: string; readonly frame: ClientFrame }
  /** The next chunks of the running answer. */
  | { readonly does: "say"; readonly chunks: number }
  | { readonly does: "end" | "fail" };

const open = (socket: string, capabilities?: string): Step => ({
  does: "open",
  socket,
  ...(capabilities === undefined ? {} : { capabilities }),
});
const send = (socket: string, frame: ClientFrame): Step => ({ does: "send", socket, frame });
const say = (chunks: number): Step => ({ does: "say", chunks });
const end: Step = { does: "end" };
const fail: Step = { does: "fail" };

function ask(socket: string, id: string, userId = `${id}-user`, extra: object = {}): Step {
  const body = JSON.stringify({ messages: [userText(userId, userId)], ...extra });
  return send(socket, { type: "cf_agent_use_chat_request", id, init: { method: "POST", body } });
}

const again = (socket: string, id: string, messageId: string): Step =>
  ask(socket, id, messageId, { trigger: "regenerate-message", messageId });
const cancel = (socket: string, id: string): Step => send(socket, { type: "cf_agent_chat_request_cancel", id });
const ack = (socket: string, id: string, after: number): Step =>
  send(socket, { type: "cf_agent_stream_resume_ack", id, after });
const probe = (socket: string, probeId: string, requests: string[] = []): Step =>
  send(socket, { type: "cf_agent_stream_resume_request", probeId, requests });

const scene: readonly Step[] = [
  open("own", "delta,cursor"),
  open("plain"),
  probe("own", "p0"),
  ask("own", "r1"),
  say(5),
  ask("own", "r2"),
  probe("plain", "p1", ["r1", "nobody"]),
  say(1),
  ack("plain", "r1", 0),
  open("late", "delta,cursor"),
  ack("own", "r1", 0),
  say(1),
  end,
  ack("late", "r1", 0),
  probe("late", "p2", ["r1", "r2"]),
  ack("late", "r2", 2),
  say(4),
  cancel("plain", "r2"),
  ask("own", "r1"),
  again("plain", "r3", "r1-user"),
  say(4),
  open("later", "delta,cursor"),
  fail,
  ack("later", "r3", 0),
  ask("own", "r4"),
  ask("plain", "r5"),
  again("late", "r6", "r2-user"),
  cancel("own", "r5"),
  cancel("own", "nobody"),
  say(6),
  end,
  say(3),
  ask("own", "r7"),
  send("late", { type: "cf_agent_chat_messages", messages: [] }),
  send("plain", { type: "cf_agent_tool_result", toolCallId: "c1", output: 1 }),
  send("own", { type: "cf_agent_chat_clear" }),
  ask("own", "r1"),
  say(3),
  end,
];

/** The frames of each socket after each step. */
type Heard = readonly Readonly<Record<string, readonly ServerFrame[]>>[];

function playModel(): { heard: Heard; plans: UIMessageChunk[][] } {
  const limits = { pageSize: 50, keeps: 1_000, windowSize: 1_000, line: 64, isRecovering: false };
  const server = new ModelServer({ name: "walk", ...limits });
  const frames: Record<string, ServerFrame[]> = {};
  const sockets: Record<string, ServerSocket> = {};
  const plans: UIMessageChunk[][] = [];
  const rest = () => {
    const { turns } = server;
    while (!server.isAtRest && (turns.streaming() === null || turns.streaming()?.stream?.outcome != null)) {
      if (turns.isIdle) server.replay();
      else turns.advance();
    }
    for (let left = 50; left > 0; left--) server.replay();
  };
  const heard = scene.map((step) => {
    if (step.does === "open") {
      const own: ServerFrame[] = (frames[step.socket] = []);
      const hasDelta = step.capabilities !== undefined;
      const socket: ServerSocket = { hasDelta, session: { kind: "live" }, send: (frame) => void own.push(frame) };
      server.connect((sockets[step.socket] = socket));
    } else if (step.does === "send") server.receive(sockets[step.socket] as ServerSocket, step.frame);
    else if (step.does === "fail") server.turns.fail();
    else {
      const plan = server.turns.current?.plan ?? [];
      const count = step.does === "say" ? step.chunks : plan.length + 1;
      plans.push(plan.slice(0, count));
      for (let left = count; left > 0; left--) server.turns.advance();
    }
    rest();
    return Object.fromEntries(Object.entries(frames).map(([name, own]) => [name, [...own]]));
  });
  return { heard, plans };
}

/** The answers of the real one: what is fed goes to the turn that began last. */
class Feed {
  readonly #chunks: UIMessageChunk[] = [];
  #fed = gate();
  #end: "end" | "fail" | null = null;
  #streams = 0;

  say(chunks: readonly UIMessageChunk[]): void {
    this.#chunks.push(...chunks);
    this.#wake();
  }

  end(how: "end" | "fail"): void {
    this.#end = how;
    this.#wake();
  }

  async *stream(): AsyncGenerator<UIMessageChunk> {
    const mine = ++this.#streams;
    while (mine === this.#streams) {
      yield* this.#chunks.splice(0);
      const end = this.#end;
      this.#end = null;
      if (end === "fail") yield { type: "error", errorText: "broken" };
      if (end !== null) return;
      await this.#fed.passed;
    }
  }

  #wake(): void {
    this.#fed.open();
    this.#fed = gate();
  }
}

async function playReal(name: string, expected: Heard, plans: UIMessageChunk[][]): Promise<Heard> {
  const feed = new Feed();
  const setup = stage(name);
  setup.configure = (self) => void (self.flushLimits = { ms: 1_000_000, bytes: 1_000_000, chunks: 1_000 });
  setup.onChatMessage = () => ({ toUIMessageStream: () => feed.stream() });
  const sockets: Record<string, ChatSocket> = {};
  const heard: Record<string, readonly ServerFrame[]>[] = [];
  for (const [at, step] of scene.entries()) {
    if (step.does === "open") sockets[step.socket] = await ChatSocket.open(name, step);
    else if (step.does === "send") sockets[step.socket]?.send(step.frame);
    else {
      if (step.does !== "fail") feed.say(plans.shift() ?? []);
      if (step.does !== "say") feed.end(step.does);
    }
    for (const [of, socket] of Object.entries(sockets)) {
      await socket.until(() => socket.frames.length >= (expected[at]?.[of]?.length ?? 0));
    }
    heard.push(Object.fromEntries(Object.entries(sockets).map(([of, { frames }]) => [of, [...frames]])));
  }
  return heard;
}

/** Ids of answers by their first appearance; texts of errors, and whether to try again, left out. */
function plainly(heard: Heard): unknown {
  const ids = new Map<string, string>();
  const name = (id: string) => ids.get(id) ?? ids.set(id, `answer-${ids.size + 1}`).get(id) ?? "";
  const text = JSON.stringify(heard).replaceAll(/(?<=["\\])(msg_[0-9a-f-]{36}|walk-answer-\d+)(?=["\\])/g, name);
  return JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== "object" || value === null) return value;
    const text = "message" in value ? { message: "…" } : { body: "…" };
    return "code" in value ? { ...value, ...text, retryable: null } : value;
  });
}

it("says what the real server says, frame by frame", async () => {
  const { heard, plans } = playModel();
  const real = await playReal("model-1", heard, plans);
  for (const [at, step] of scene.entries()) {
    expect(plainly(real.slice(0, at + 1)), `after step ${at}: ${JSON.stringify(step)}`).toEqual(
      plainly(heard.slice(0, at + 1)),
    );
  }
}, 30_000);
