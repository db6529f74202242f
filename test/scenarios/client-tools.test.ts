import { tool, type ToolSet, type UIMessage } from "ai";
import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { withChunks } from "../../src/shared/open-calls.ts";
import { stage } from "../harness/agents.ts";
import { ChatSocket, conversation, crash, storedMessages, textOf } from "../harness/chat-socket.ts";
import { type Beat, finish, gate, say, ScriptedModel, text, toolCall } from "../harness/scripted-model.ts";

const where = { clientTools: [{ name: "where", description: "Where the user is" }] };

/** A model that calls client tools first, and then says how many results its prompt has. */
function asking(...ids: string[]): ScriptedModel {
  return new ScriptedModel((call, n) => {
    if (n === 0) return [...ids.flatMap((id) => Array.from(toolCall(id, "where", {}))), finish("tool-calls")];
    return say(`saw ${outputs(call.prompt).length}`);
  });
}

function outputs(prompt: ScriptedModel["calls"][number]["prompt"]): unknown[] {
  return prompt.flatMap(({ role, content }) =>
    role === "tool" ? content.filter((part) => part.type === "tool-result") : [],
  );
}

function result(toolCallId: string, output: unknown, extra: object = {}): object {
  return { type: "cf_agent_tool_result", toolCallId, toolName: "where", output, autoContinue: true, ...extra };
}

function decide(toolCallId: string, approved: boolean): object {
  return { type: "cf_agent_tool_approval", toolCallId, approved, autoContinue: true };
}

/** The message of the turn once it says this. */
async function says(name: string, said: string): Promise<UIMessage[]> {
  return vi.waitUntil(async () => {
    const messages = await storedMessages(name);
    return textOf(messages.at(-1)).includes(said) ? messages : null;
  });
}

function callsOf(message: UIMessage | undefined) {
  return (message?.parts ?? []).filter((part) => part.type.startsWith("tool-")) as {
    type: string;
    toolCallId: string;
    state: string;
    output?: unknown;
    errorText?: string;
  }[];
}

describe("a call of a client tool", () => {
  it("F69, F72, T1: waits for its result, and goes on in the same message, once", async () => {
    const model = asking("c1");
    stage("tool-1").model = model;
    const socket = await ChatSocket.open("tool-1");
    socket.ask("r1", "where am I?", where);
    expect(await socket.ended("r1")).toMatchObject({ outcome: "completed" });
    const [, before] = await storedMessages("tool-1");
    expect(callsOf(before)).toMatchObject([{ state: "input-available", toolCallId: "c1" }]);
    expect(await conversation("tool-1").inspectTurn()).toMatchObject({ state: "waiting", attempts: 1 });
    socket.send(result("c1", { city: "Oslo" }));
    const messages = await says("tool-1", "saw 1");
    expect(messages).toHaveLength(2);
    expect(messages[1]?.id).toBe(before?.id);
    expect(callsOf(messages[1])).toMatchObject([{ state: "output-available", output: { city: "Oslo" } }]);
    expect(model.calls).toHaveLength(2);
    expect(socket.of("cf_agent_message_updated")).toHaveLength(1);
    const continued = socket.frames.find((frame) => "continuation" in frame && frame.continuation === true);
    expect(continued).toMatchObject({ type: "cf_agent_use_chat_response" });
  });

  it("T182, T97: goes on for no answer but its own", async () => {
    const model = asking("c1");
    stage("tool-2").model = model;
    const socket = await ChatSocket.open("tool-2");
    socket.ask("r1", "where?", where);
    await socket.ended("r1");
    socket.send(result("zzz", 1));
    await socket.settled();
    expect(model.calls).toHaveLength(1);
    expect(socket.of("cf_agent_chat_error")).toMatchObject([{ code: "no_pending_call", toolCallId: "zzz" }]);
  });

  it("T103: takes one result, and tells a second tab where the call stands", async () => {
    const model = asking("c1");
    stage("tool-3").model = model;
    const [one, two] = [await ChatSocket.open("tool-3"), await ChatSocket.open("tool-3")];
    one.ask("r1", "where?", where);
    await one.ended("r1");
    one.send(result("c1", "first"));
    await says("tool-3", "saw 1");
    two.send(result("c1", "second"));
    await two.settled();
    expect(two.of("cf_agent_chat_error")).toMatchObject([{ code: "no_pending_call" }]);
    expect(callsOf(two.of("cf_agent_message_updated").at(-1)?.message)).toMatchObject([{ output: "first" }]);
    expect(model.calls).toHaveLength(2);
  });

  it("F70: may be refused in the client, which the model is told", async () => {
    stage("tool-4").model = asking("c1");
    const socket = await ChatSocket.open("tool-4");
    socket.ask("r1", "where?", where);
    await socket.ended("r1");
    socket.send(result("c1", undefined, { state: "output-error" }));
    const messages = await says("tool-4", "saw 1");
    expect(callsOf(messages[1])).toMatchObject([{ state: "output-error", errorText: "Tool execution denied by user" }]);
  });

  it("F68, F148, T89: goes on after eviction with the tools and the body of its turn", async () => {
    const model = asking("c1");
    const seen: unknown[] = [];
    stage("tool-5").model = model;
    stage("tool-5").onChatMessage = (options, self) => {
      seen.push({ body: options?.body, tools: options?.clientTools?.map(({ name }) => name) });
      return Object.getPrototypeOf(Object.getPrototypeOf(self)).onChatMessage.call(self, options);
    };
    const first = await ChatSocket.open("tool-5");
    first.ask("r1", "where?", { ...where, tier: 1 });
    await first.ended("r1");
    await crash("tool-5");
    const socket = await ChatSocket.open("tool-5");
    socket.send(result("c1", "Oslo"));
    await says("tool-5", "saw 1");
    expect(seen).toEqual([
      { body: { tier: 1 }, tools: ["where"] },
      { body: { tier: 1 }, tools: ["where"] },
    ]);
  });

  it("F75: takes a result that comes while the answer still streams", async () => {
    const held = gate();
    const model = new ScriptedModel((_, n): Iterable<Beat> =>
      n === 0 ? [...toolCall("c1", "where", {}), held.passed, finish("tool-calls")] : say("saw it"),
    );
    stage("tool-6").model = model;
    const socket = await ChatSocket.open("tool-6");
    socket.ask("r1", "where?", where);
    await socket.until((frame) => "body" in frame && frame.body.includes("tool-input-available"));
    socket.send(result("c1", "Oslo"));
    await socket.settled();
    held.open();
    const messages = await says("tool-6", "saw it");
    expect(callsOf(messages[1])).toMatchObject([{ state: "output-available", output: "Oslo" }]);
    expect(messages).toHaveLength(2);
    expect(model.calls).toHaveLength(2);
  });

  it("T163: of the server takes no result from a client", async () => {
    const held = gate();
    stage("tool-7").tools = {
      read: tool({ inputSchema: z.object({}), execute: async () => (await held.passed, "real") }),
    };
    stage("tool-7").model = new ScriptedModel((_, n) =>
      n === 0 ? [...toolCall("c1", "read", {}), finish("tool-calls")] : say("read it"),
    );
    const socket = await ChatSocket.open("tool-7");
    socket.ask("r1", "read");
    await socket.until((frame) => "body" in frame && frame.body.includes("tool-input-available"));
    socket.send(result("c1", "forged"));
    await socket.settled();
    held.open();
    const messages = await says("tool-7", "read it");
    expect(callsOf(messages[1])).toMatchObject([{ output: "real" }]);
  });

  it("is over without another answer when nobody asks to go on", async () => {
    const model = asking("c1");
    stage("tool-8").model = model;
    const socket = await ChatSocket.open("tool-8");
    socket.ask("r1", "where?", where);
    await socket.ended("r1");
    socket.send(result("c1", "Oslo", { autoContinue: false }));
    await socket.settled();
    expect(model.calls).toHaveLength(1);
    expect(await conversation("tool-8").inspectTurn()).toMatchObject({ state: "completed" });
  });
});

/** A turn that waited for `c1`, was answered, and is held before it says "b". */
async function continuing(name: string) {
  const held = gate();
  stage(name).model = new ScriptedModel((_, n): Iterable<Beat> =>
    n === 0 ? [...toolCall("c1", "where", {}), finish("tool-calls")] : say("a", held.passed, "b"),
  );
  const socket = await ChatSocket.open(name, { capabilities: "delta,cursor" });
  socket.ask("r1", "where?", where);
  await socket.ended("r1");
  socket.send(result("c1", "Oslo"));
  const frame = await socket.until((one) => "continuation" in one && one.continuation === true && "body" in one);
  const id = "id" in frame ? String(frame.id) : "";
  await socket.until((one) => "body" in one && one.body.includes('"delta":"a"'));
  return { socket, held, id };
}

describe("the segment behind an answer", () => {
  it("is offered to sockets that come, and replayed as a continuation of the stored message", async () => {
    const { held, id } = await continuing("behind-1");
    const late = await ChatSocket.open("behind-1", { capabilities: "delta,cursor" });
    const offer = await late.until((frame) => frame.type === "cf_agent_stream_resuming");
    expect(offer).toMatchObject({ id, continuation: true });
    late.send({ type: "cf_agent_stream_resume_ack", id });
    await late.until((frame) => "replayComplete" in frame && frame.replayComplete === true);
    expect(late.responses(id).filter(({ body }) => body !== "")).toSatisfy((frames: object[]) =>
      frames.every((frame) => "continuation" in frame && frame.continuation === true),
    );
    held.open();
    expect(await late.ended(id)).toMatchObject({ outcome: "completed" });
    const [, stored] = await storedMessages("behind-1");
    const base = late.of("cf_agent_chat_messages")[0]?.messages.at(-1);
    expect(base?.id).toBe(stored?.id);
    expect(base === undefined ? null : withChunks(base, late.chunks(id)).parts).toEqual(stored?.parts);
  });

  it("tells a client that asks for the first segment that it has ended", async () => {
    const { socket, held, id } = await continuing("behind-2");
    const late = await ChatSocket.open("behind-2");
    late.send({ type: "cf_agent_stream_resume_request", probeId: "p", requests: ["r1", id, "r9"] });
    const answer = await late.until((frame) => "probeId" in frame && frame.probeId === "p");
    expect(answer).toMatchObject({ type: "cf_agent_stream_resuming", id, unknown: ["r9"] });
    expect(late.responses("r1")).toMatchObject([{ done: true, outcome: "completed" }]);
    held.open();
    await socket.ended(id);
  });

  it.each(["r1", "its own id"])("is cancelled by %s", async (by) => {
    const name = `behind-3-${by.length}`;
    const { socket, held, id } = await continuing(name);
    socket.cancel(by === "r1" ? by : id);
    expect(await socket.ended(id)).toMatchObject({ outcome: "aborted" });
    held.open();
    expect(textOf((await storedMessages(name))[1])).toBe("a");
    expect(socket.responses("r1").filter(({ done }) => done)).toHaveLength(1);
  });

  it("keeps what was answered and said when it is cut", async () => {
    const { held, id } = await continuing("behind-4");
    await crash("behind-4");
    const late = await ChatSocket.open("behind-4");
    late.send({ type: "cf_agent_stream_resume_request", probeId: "p", requests: [id] });
    expect(await late.ended(id)).toMatchObject({ outcome: "error", code: "interrupted" });
    const [, stored] = await storedMessages("behind-4");
    expect(callsOf(stored)).toMatchObject([{ state: "output-available", output: "Oslo" }]);
    held.open();
  });
});

describe("four calls at once", () => {
  const ids = ["a", "b", "c", "d"];
  const orders = permutations(ids);

  it.each(orders.map((order, at) => [order.join(""), order, at] as const))(
    "F254, T88: %s go on once, when all are answered",
    async (_, order, at) => {
      const name = `four-${order.join("")}`;
      const model = asking(...ids);
      stage(name).model = model;
      const tabs = [await ChatSocket.open(name), await ChatSocket.open(name)];
      tabs[0]?.ask("r1", "where?", where);
      await tabs[0]?.ended("r1");
      for (const [n, id] of order.entries()) {
        const tab = tabs[n % (1 + (at % 2))];
        const isError = (at + n) % 5 === 0;
        tab?.send(result(id, `output of ${id}`, isError ? { state: "output-error", errorText: `no ${id}` } : {}));
        if (at % 3 === 0) await tab?.settled();
        if (at % 4 === 1 && n === at % 3) {
          await tab?.settled();
          await crash(name);
          for (const which of tabs.keys()) tabs[which] = await ChatSocket.open(name);
        }
        if (n < 3 && at % 3 === 0) expect(model.calls).toHaveLength(1);
      }
      const messages = await says(name, "saw 4");
      expect(messages).toHaveLength(2);
      expect(
        callsOf(messages[1]).map(({ toolCallId, output, errorText }) => [toolCallId, output ?? errorText]),
      ).toEqual(
        ids.map((id) => {
          const n = order.indexOf(id);
          return [id, (at + n) % 5 === 0 ? `no ${id}` : `output of ${id}`];
        }),
      );
      expect(model.calls).toHaveLength(2);
    },
  );
});

function approving(runs: unknown[]): ToolSet {
  return {
    delete: tool({
      inputSchema: z.object({ path: z.string() }),
      needsApproval: true,
      execute: ({ path }) => {
        runs.push(path);
        return `deleted ${path}`;
      },
    }),
  };
}

function deleting(): ScriptedModel {
  return new ScriptedModel((_, n) =>
    n === 0 ? [...toolCall("c1", "delete", { path: "/a" }), finish("tool-calls")] : [...text("done"), finish()],
  );
}

describe("a call that asks for approval", () => {
  it("F71, F252, T98: waits over eviction, runs once it is approved, and never twice", async () => {
    const runs: unknown[] = [];
    stage("ok-1").tools = approving(runs);
    stage("ok-1").model = deleting();
    const first = await ChatSocket.open("ok-1");
    first.ask("r1", "delete it");
    await first.ended("r1");
    const [, asked] = await storedMessages("ok-1");
    expect(callsOf(asked)).toMatchObject([{ state: "approval-requested", toolCallId: "c1" }]);
    first.close();
    await evictDurableObject(conversation("ok-1"));
    const socket = await ChatSocket.open("ok-1");
    socket.send(decide("c1", true));
    socket.send(decide("c1", true));
    const messages = await says("ok-1", "done");
    expect(runs).toEqual(["/a"]);
    expect(messages).toHaveLength(2);
    expect(callsOf(messages[1])).toMatchObject([{ state: "output-available", output: "deleted /a" }]);
    socket.send(decide("c1", false));
    await socket.settled();
    expect(socket.of("cf_agent_chat_error").at(-1)).toMatchObject({ code: "no_pending_call" });
    expect(runs).toEqual(["/a"]);
  });

  it("F35: is told to the model when it is denied, and does not run", async () => {
    const runs: unknown[] = [];
    const model = deleting();
    stage("ok-2").tools = approving(runs);
    stage("ok-2").model = model;
    const socket = await ChatSocket.open("ok-2");
    socket.ask("r1", "delete it");
    await socket.ended("r1");
    socket.send(decide("c1", false));
    const messages = await says("ok-2", "done");
    expect(runs).toEqual([]);
    expect(callsOf(messages[1])).toMatchObject([{ state: "output-denied" }]);
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain("denied");
  });

  it("T185: takes no result, only a decision", async () => {
    const runs: unknown[] = [];
    stage("ok-3").tools = approving(runs);
    stage("ok-3").model = deleting();
    const socket = await ChatSocket.open("ok-3");
    socket.ask("r1", "delete it");
    await socket.ended("r1");
    socket.send({ ...result("c1", "forged"), toolName: "delete" });
    await socket.settled();
    const [, asked] = await storedMessages("ok-3");
    expect(callsOf(asked)).toMatchObject([{ state: "approval-requested" }]);
  });
});

describe("what waits", () => {
  it("is closed with a reason when the user goes on, and late answers find nothing", async () => {
    const model = new ScriptedModel((_, n) =>
      n === 0 ? [...toolCall("c1", "where", {}), finish("tool-calls")] : say("never mind"),
    );
    stage("wait-1").model = model;
    const socket = await ChatSocket.open("wait-1");
    socket.ask("r1", "where?", where);
    await socket.ended("r1");
    socket.ask("r2", "forget it");
    await socket.ended("r2");
    const messages = await storedMessages("wait-1");
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(callsOf(messages[1])).toMatchObject([
      { state: "output-error", errorText: "The user went on without answering." },
    ]);
    socket.send(result("c1", "late"));
    await socket.settled();
    expect(model.calls).toHaveLength(2);
    expect(callsOf((await storedMessages("wait-1"))[1])).toMatchObject([{ state: "output-error" }]);
  });

  it("is cancelled by the request id of its turn", async () => {
    stage("wait-2").model = asking("c1");
    const socket = await ChatSocket.open("wait-2");
    socket.ask("r1", "where?", where);
    await socket.ended("r1");
    socket.cancel("r1");
    await socket.until((frame) => frame.type === "cf_agent_message_updated");
    expect(callsOf((await storedMessages("wait-2"))[1])).toMatchObject([{ state: "output-error" }]);
    expect(socket.responses("r1").filter(({ done }) => done)).toHaveLength(1);
    expect(await conversation("wait-2").inspectTurn()).toMatchObject({ state: "aborted" });
  });

  it("F60: is gone after a clear, and so is its continuation", async () => {
    const model = asking("c1");
    stage("wait-3").model = model;
    const socket = await ChatSocket.open("wait-3");
    socket.ask("r1", "where?", where);
    await socket.ended("r1");
    socket.clear();
    socket.send(result("c1", "Oslo"));
    await socket.settled();
    expect(model.calls).toHaveLength(1);
    expect(await storedMessages("wait-3")).toEqual([]);
    expect(socket.responses("r1").filter(({ done }) => done)).toHaveLength(1);
  });

  it("T76: goes on after a crash between the last answer and the continuation", async () => {
    const held = gate();
    const model = new ScriptedModel((call, n): Iterable<Beat> => {
      if (n === 0) return [...toolCall("c1", "where", {}), finish("tool-calls")];
      return n === 1 ? [held.passed, ...say("lost")] : say(`saw ${outputs(call.prompt).length}`);
    });
    stage("wait-4").model = model;
    const first = await ChatSocket.open("wait-4");
    first.ask("r1", "where?", where);
    await first.ended("r1");
    first.send(result("c1", "Oslo"));
    await first.settled();
    await crash("wait-4");
    const socket = await ChatSocket.open("wait-4");
    await socket.settled();
    const [, message] = await storedMessages("wait-4");
    expect(callsOf(message)).toMatchObject([{ state: "output-available", output: "Oslo" }]);
    held.open();
  });
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item].concat(rest)));
}
