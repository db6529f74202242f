import { tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { TroupeError } from "../../src/index.ts";
import { stage } from "../harness/agents.ts";
import { ChatSocket, conversation, storedMessages, textOf, userText } from "../harness/chat-socket.ts";
import { finish, gate, say, ScriptedModel, text, toolCall } from "../harness/scripted-model.ts";

const never = new Promise<never>(() => undefined);

async function texts(name: string): Promise<string[]> {
  return (await storedMessages(name)).map(textOf);
}

describe("how a turn ends", () => {
  it("F29, F30: keeps what was generated before an error, tells it once, and goes on", async () => {
    let n = 0;
    stage("end-1").model = new ScriptedModel(() =>
      n++ === 0 ? say("a", "b", "c", new Error("key sk-123 is wrong")) : say("fine"),
    );
    const socket = await ChatSocket.open("end-1");
    socket.ask("r1", "hi");
    const end = await socket.ended("r1");
    expect(end).toMatchObject({ error: true, outcome: "error", code: "internal", retryable: true });
    expect(end.body).not.toContain("sk-123");
    expect(socket.responses("r1").filter((frame) => frame.done || frame.error)).toHaveLength(1);
    const [, partial] = await storedMessages("end-1");
    expect(textOf(partial)).toBe("abc");
    expect(partial?.metadata).toMatchObject({ troupe: { outcome: "failed", error: { code: "internal" } } });
    socket.ask("r2", "again");
    expect(await socket.ended("r2")).toMatchObject({ outcome: "completed" });
    expect(await texts("end-1")).toEqual(["hi", "abc", "again", "fine"]);
  });

  it("F10: sends what onChatError makes of an error, and maps it when the hook itself fails", async () => {
    stage("end-2").model = new ScriptedModel(() => [new Error("boom")]);
    stage("end-2").onChatError = (error, context) => `told: ${(error as Error).message} in ${context.stage}`;
    const socket = await ChatSocket.open("end-2");
    socket.ask("r1", "hi");
    expect((await socket.ended("r1")).body).toBe("told: boom in stream");
    stage("end-2").onChatError = () => {
      throw new Error("hook");
    };
    socket.ask("r2", "hi");
    expect((await socket.ended("r2")).body).toBe("Something went wrong.");
    expect(await texts("end-2")).toEqual(["hi", "hi"]);
  });

  it("F3: ends in an error when no model is chosen, and says what to override", async () => {
    stage("end-3").onChatMessage = () => {
      throw new TroupeError("no_model", "Override getModel() in Assistant to return a language model.");
    };
    const socket = await ChatSocket.open("end-3");
    socket.ask("r1", "hi");
    expect(await socket.ended("r1")).toMatchObject({
      error: true,
      code: "no_model",
      body: expect.stringContaining("getModel()"),
    });
  });

  it("F13: says so when there is no result, and stores no empty answer", async () => {
    stage("end-4").onChatMessage = () => undefined;
    const socket = await ChatSocket.open("end-4");
    socket.ask("r1", "hi");
    expect(await socket.ended("r1")).toMatchObject({ body: "No response was generated.", outcome: "completed" });
    stage("end-4").onChatMessage = () => ({ toUIMessageStream: async function* () {} });
    socket.ask("r2", "hi");
    expect(await socket.ended("r2")).toMatchObject({ body: "No response was generated.", outcome: "completed" });
    expect(await texts("end-4")).toEqual(["hi", "hi"]);
  });

  it("F9: streams hand-made chunks, and turns an in-band error into the ending", async () => {
    stage("end-5").onChatMessage = () => ({
      toUIMessageStream: async function* () {
        yield { type: "text-start", id: "x" };
        yield { type: "text-delta", id: "x", delta: "by hand" };
        yield { type: "error", errorText: "secret" };
      },
    });
    const socket = await ChatSocket.open("end-5");
    socket.ask("r1", "hi");
    expect(await socket.ended("r1")).toMatchObject({ error: true, code: "model_error" });
    expect(socket.chunks("r1").map((chunk) => chunk.type)).toEqual(["start", "text-start", "text-delta"]);
    expect(await texts("end-5")).toEqual(["hi", "by hand"]);
  });

  it("F202: takes an SSE response, a plain text response and a streamable alike", async () => {
    const chunks = [
      { type: "start" },
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: "same" },
      { type: "text-end", id: "1" },
      { type: "finish" },
    ];
    const sse = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("") + "data: [DONE]\n\n";
    const results = [
      () => new Response(sse, { headers: { "content-type": "text/event-stream" } }),
      () => new Response("same"),
      () => ({
        toUIMessageStream: async function* () {
          yield* chunks as never[];
        },
      }),
    ];
    for (const [i, result] of results.entries()) {
      stage(`end-6-${i}`).onChatMessage = result;
      const socket = await ChatSocket.open(`end-6-${i}`);
      socket.ask("r1", "hi");
      expect(await socket.ended("r1")).toMatchObject({ outcome: "completed" });
      expect(await texts(`end-6-${i}`)).toEqual(["hi", "same"]);
    }
    stage("end-6-3").onChatMessage = () => new Response("no", { status: 500 });
    const socket = await ChatSocket.open("end-6-3");
    socket.ask("r1", "hi");
    expect(await socket.ended("r1")).toMatchObject({ error: true, code: "model_error", retryable: true });
  });

  it("F6, F17: stops a model that calls tools for ever after the step limit", async () => {
    let n = 0;
    const model = new ScriptedModel(function* () {
      yield* toolCall(`c${n++}`, "again", {});
      yield finish("tool-calls");
    });
    stage("end-7").model = model;
    stage("end-7").tools = { again: tool({ inputSchema: z.object({}), execute: () => "once more" }) };
    const socket = await ChatSocket.open("end-7");
    socket.ask("r1", "hi");
    expect(await socket.ended("r1")).toMatchObject({ outcome: "completed" });
    expect(model.calls).toHaveLength(10);
    const [, answer] = await storedMessages("end-7");
    expect(
      answer?.parts.filter((part) => part.type === "tool-again" && part.state === "output-available"),
    ).toHaveLength(10);
  });

  it("ends an answer that never stops at a stated limit, keeping it", async () => {
    stage("end-8").configure = (self) => (self.maxAnswerChars = 20_000);
    stage("end-8").model = new ScriptedModel(function* () {
      yield { type: "text-start", id: "t" };
      for (;;) yield { type: "text-delta", id: "t", delta: "on and on ".repeat(100) };
    });
    const socket = await ChatSocket.open("end-8");
    socket.ask("r1", "hi");
    expect(await socket.ended("r1")).toMatchObject({
      error: true,
      code: "limit",
      body: expect.stringContaining("20000"),
    });
    expect((await texts("end-8"))[1]).toMatch(/^on and on /);
  });

  it("ends a silent model after the stated time, not while a tool runs", async () => {
    stage("end-9").configure = (self) => (self.chatStreamStallTimeoutMs = 60);
    stage("end-9").model = new ScriptedModel((_, n) =>
      n === 0 ? [...toolCall("c", "slow", {}), finish("tool-calls")] : say("half", never),
    );
    stage("end-9").tools = {
      slow: tool({
        inputSchema: z.object({}),
        execute: async () => {
          await scheduler.wait(150);
          return "done";
        },
      }),
    };
    const socket = await ChatSocket.open("end-9");
    socket.ask("r1", "hi");
    expect(await socket.ended("r1")).toMatchObject({ error: true, code: "timeout", retryable: true });
    const [, answer] = await storedMessages("end-9");
    expect(answer?.parts.map((part) => ("state" in part ? `${part.type} ${part.state}` : part.type))).toEqual([
      "step-start",
      "tool-slow output-available",
      "step-start",
      "text done",
    ]);
  });

  it("T47: gives bad tool input and unknown tools back to the model", async () => {
    const model = new ScriptedModel((_, n) => {
      if (n === 0)
        return [...toolCall("c1", "known", { n: "no number" }), ...toolCall("c2", "unknown", {}), finish("tool-calls")];
      return say("recovered");
    });
    stage("end-10").model = model;
    stage("end-10").tools = { known: tool({ inputSchema: z.object({ n: z.number() }), execute: () => "ran" }) };
    const socket = await ChatSocket.open("end-10");
    socket.ask("r1", "hi");
    expect(await socket.ended("r1")).toMatchObject({ outcome: "completed" });
    expect(textOf((await storedMessages("end-10"))[1])).toBe("recovered");
    expect(model.calls[1]?.prompt.at(-1)?.role).toBe("tool");
  });

  it("redacts through onSanitizeMessage before anything is stored, and stores nothing when it fails", async () => {
    stage("end-11").onSanitizeMessage = (message) => JSON.parse(JSON.stringify(message).replaceAll("secret", "***"));
    stage("end-11").model = new ScriptedModel(() => say("the secret is out"));
    const socket = await ChatSocket.open("end-11");
    socket.ask("r1", "hi");
    await socket.ended("r1");
    expect(await texts("end-11")).toEqual(["hi", "the *** is out"]);
    stage("end-11").onSanitizeMessage = (message) => {
      if (message.role === "assistant") throw new Error("cannot redact");
      return { ...message, id: "other", parts: [{ type: "text", text: "***" }] };
    };
    socket.ask("r2", "hi again");
    expect(await socket.ended("r2")).toMatchObject({ error: true, code: "internal" });
    stage("end-11").onSanitizeMessage = () => {
      throw new Error("cannot redact");
    };
    socket.ask("r3", "and again");
    expect(await socket.ended("r3")).toMatchObject({ error: true, code: "internal", retryable: true });
    const stored = await storedMessages("end-11");
    expect(stored.map(textOf)).toEqual(["hi", "the *** is out", "***"]);
    expect(stored[2]?.id).toBe("r2-user");
  });
});

describe("cancel", () => {
  it("F16, F26, F56: aborts the provider, keeps the partial, tells every tab, and the next turn sees it", async () => {
    const model = new ScriptedModel((_, n) => (n === 0 ? say("half ", "an answer", never) : say("next")));
    stage("cancel-1").model = model;
    const socket = await ChatSocket.open("cancel-1");
    const other = await ChatSocket.open("cancel-1");
    socket.ask("r1", "hi");
    await socket.until((frame) => frame.type === "cf_agent_use_chat_response" && frame.body.includes("an answer"));
    other.cancel("wrong");
    other.cancel("r1");
    expect(await socket.ended("r1")).toMatchObject({ outcome: "aborted", body: "" });
    expect(await other.ended("r1")).toMatchObject({ outcome: "aborted" });
    expect(model.aborted).toEqual([0]);
    expect(await texts("cancel-1")).toEqual(["hi", "half an answer"]);
    socket.ask("r2", "go on");
    await socket.ended("r2");
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain("half an answer");
    expect(await conversation("cancel-1").isStreaming).toBe(false);
  });

  it("cancels from server code by the request id, and gives the principal of the asker to the turn", async () => {
    let principal: unknown;
    stage("cancel-4").authorize = () => ({ allow: true, principal: { user: "ada" } });
    stage("cancel-4").onChatMessage = (options) => {
      ({ principal } = options ?? {});
      return never;
    };
    const socket = await ChatSocket.open("cancel-4");
    socket.ask("r1", "hi");
    await socket.until((frame) => frame.type === "cf_agent_chat_messages" && frame.messages.length === 1);
    await conversation("cancel-4").cancelChat("nobody");
    await conversation("cancel-4").cancelChat("r1");
    expect(await socket.ended("r1")).toMatchObject({ outcome: "aborted" });
    expect(principal).toEqual({ user: "ada" });
  });

  it("T28: ends promptly while a tool ignores the signal, and drops its late result", async () => {
    const late = gate();
    stage("cancel-2").model = new ScriptedModel(() => [...toolCall("c1", "stubborn", {}), finish("tool-calls")]);
    stage("cancel-2").tools = {
      stubborn: tool({
        inputSchema: z.object({}),
        execute: async () => {
          await late.passed;
          return "late";
        },
      }),
    };
    const socket = await ChatSocket.open("cancel-2");
    socket.ask("r1", "hi");
    await socket.until(
      (frame) => frame.type === "cf_agent_use_chat_response" && frame.body.includes("tool-input-available"),
    );
    socket.cancel("r1");
    expect(await socket.ended("r1")).toMatchObject({ outcome: "aborted" });
    late.open();
    await socket.settled();
    const [, answer] = await storedMessages("cancel-2");
    expect(answer?.parts.at(-1)).toMatchObject({ type: "tool-stubborn", state: "output-error" });
  });

  it("T35: removes a request that still waits without a trace", async () => {
    const held = gate();
    const model = new ScriptedModel(() => say("a", held.passed));
    stage("cancel-3").model = model;
    const socket = await ChatSocket.open("cancel-3", { capabilities: "delta" });
    socket.ask("r1", "one");
    await socket.chunk("r1");
    socket.ask("r2", "two");
    await socket.until(
      (frame) => frame.type === "cf_agent_chat_tail" && frame.messages.some((message) => message.id === "r2-user"),
    );
    expect(await texts("cancel-3")).toEqual(["one", "two"]);
    socket.cancel("r2");
    expect(await socket.ended("r2")).toMatchObject({ outcome: "aborted" });
    held.open();
    await socket.ended("r1");
    expect(await texts("cancel-3")).toEqual(["one", "a"]);
    expect(model.calls).toHaveLength(1);
  });
});

describe("the line", () => {
  it("F55: answers three requests at once in order, each in the sight of the answers before it", async () => {
    const model = new ScriptedModel((_, n) => say(`answer ${n + 1}`));
    stage("line-1").model = model;
    const socket = await ChatSocket.open("line-1");
    for (const id of ["r1", "r2", "r3"]) socket.ask(id, id);
    await socket.ended("r3");
    expect(await texts("line-1")).toEqual(["r1", "answer 1", "r2", "answer 2", "r3", "answer 3"]);
    expect(model.calls.map((call) => call.prompt.filter((message) => message.role !== "system").length)).toEqual([
      1, 3, 5,
    ]);
    for (const id of ["r1", "r2", "r3"]) expect(socket.responses(id).filter((frame) => frame.done)).toHaveLength(1);
  });

  it("F57–F64: clears everything at once, ends every request, and takes the same ids again", async () => {
    const model = new ScriptedModel((_, n) => (n === 0 ? say("partial", never) : say("new")));
    stage("line-2").model = model;
    const socket = await ChatSocket.open("line-2");
    const other = await ChatSocket.open("line-2");
    for (const id of ["r1", "r2", "r3"]) socket.ask(id, id);
    await socket.chunk("r1", 2);
    other.clear();
    await socket.until((frame) => frame.type === "cf_agent_chat_clear");
    await other.until((frame) => frame.type === "cf_agent_chat_clear");
    expect(
      ["r1", "r2", "r3"].map((id) =>
        socket
          .responses(id)
          .filter((frame) => frame.done)
          .map((frame) => frame.outcome),
      ),
    ).toEqual([["aborted"], ["skipped"], ["skipped"]]);
    expect(model.aborted).toEqual([0]);
    expect(await storedMessages("line-2")).toEqual([]);
    expect(await socket.settled()).toMatchObject({ type: "cf_agent_stream_resume_none", reason: "idle" });
    socket.ask("r1", "r1");
    await socket.until((frame) => frame.type === "cf_agent_use_chat_response" && frame.outcome === "completed");
    expect(await texts("line-2")).toEqual(["r1", "new"]);
  });

  it("answers an earlier message again as a new branch, and keeps the old one", async () => {
    const model = new ScriptedModel((_, n) => say(`version ${n + 1}`));
    stage("line-3").model = model;
    const socket = await ChatSocket.open("line-3", { capabilities: "delta" });
    socket.ask("r1", "question");
    await socket.ended("r1");
    socket.ask("r2", [userText("r1-user", "question")], { trigger: "regenerate-message" });
    await socket.ended("r2");
    expect(await texts("line-3")).toEqual(["question", "version 2"]);
    expect(model.calls[1]?.prompt.map((message) => message.role)).toEqual(["system", "user"]);
    const rows = await (
      await import("cloudflare:test")
    ).runInDurableObject(conversation("line-3"), (_, state) =>
      state.storage.sql.exec("SELECT id FROM messages").toArray(),
    );
    expect(rows).toHaveLength(3);
  });

  it("keeps the old answer when the new one fails before it says anything", async () => {
    const model = new ScriptedModel((_, n) => (n === 0 ? say("good") : [new Error("down")]));
    stage("line-4").model = model;
    const socket = await ChatSocket.open("line-4");
    socket.ask("r1", "question");
    await socket.ended("r1");
    socket.ask("r2", [], { trigger: "regenerate-message" });
    expect(await socket.ended("r2")).toMatchObject({ error: true });
    expect(await texts("line-4")).toEqual(["question", "good"]);
  });

  it("gives a custom body, the client's tools and the continuation flag to onChatMessage", async () => {
    const seen: unknown[] = [];
    stage("line-5").onChatMessage = (options) =>
      void seen.push({ ...options, abortSignal: undefined, signal: undefined });
    const socket = await ChatSocket.open("line-5");
    socket.ask("r1", "hi", { tier: 1, clientTools: [{ name: "where" }], trigger: "submit-message" });
    await socket.ended("r1");
    expect(seen).toEqual([
      {
        requestId: "r1",
        clientTools: [{ name: "where" }],
        body: { tier: 1 },
        principal: null,
        continuation: false,
        abortSignal: undefined,
        signal: undefined,
      },
    ]);
  });
});

describe("what the model sees", () => {
  it("F4, F18: gets the system prompt, and only recent results of server tools", async () => {
    const model = new ScriptedModel((_, n) => {
      if (n === 0) return [...toolCall("c1", "look", {}), finish("tool-calls")];
      return [...text(`answer ${n}`), finish()];
    });
    stage("sees-1").model = model;
    stage("sees-1").tools = { look: tool({ inputSchema: z.object({}), execute: () => "SEEN" }) };
    const socket = await ChatSocket.open("sees-1");
    for (const id of ["r1", "r2", "r3"]) {
      socket.ask(id, id);
      await socket.ended(id);
    }
    expect(model.calls[0]?.prompt[0]).toMatchObject({ role: "system", content: "You are a helpful assistant." });
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain("SEEN");
    expect(JSON.stringify(model.calls.at(-1)?.prompt)).not.toContain("SEEN");
    expect(JSON.stringify(await storedMessages("sees-1"))).toContain("SEEN");
  });

  it("T94: sees an object for every input of a call within the turn too, and no empty text", async () => {
    const model = new ScriptedModel((_, n) => {
      if (n === 0) return [...toolCall("c1", "look", "junk"), ...toolCall("c2", "look", []), finish("tool-calls")];
      return n === 1 ? [{ type: "text-start", id: "t" }, new Error("cut")] : say("fine");
    });
    stage("sees-4").model = model;
    stage("sees-4").tools = { look: tool({ inputSchema: z.object({}), execute: () => "seen" }) };
    const socket = await ChatSocket.open("sees-4");
    for (const id of ["r1", "r2"]) {
      socket.ask(id, id);
      await socket.ended(id);
    }
    for (const { prompt } of model.calls.slice(1)) {
      const parts: unknown[] = prompt.flatMap(({ content }): unknown[] => (typeof content === "string" ? [] : content));
      expect(parts).not.toContainEqual(expect.objectContaining({ type: "tool-call", input: expect.any(String) }));
      expect(parts).not.toContainEqual(expect.objectContaining({ type: "tool-call", input: expect.any(Array) }));
      expect(parts).not.toContainEqual(expect.objectContaining({ type: "text", text: "" }));
      expect(prompt.filter((message) => message.content.length === 0)).toEqual([]);
    }
  });

  it("bounds a 3 MB tool output for the model, keeps its shape, and stores it whole", async () => {
    const rows = Array.from({ length: 30_000 }, (_, i) => ({ i, text: "x".repeat(80) }));
    const model = new ScriptedModel((_, n) =>
      n === 0 ? [...toolCall("c1", "dump", {}), finish("tool-calls")] : say("ok"),
    );
    stage("sees-2").model = model;
    stage("sees-2").tools = { dump: tool({ inputSchema: z.object({}), execute: () => ({ ok: true, rows }) }) };
    const socket = await ChatSocket.open("sees-2");
    socket.ask("r1", "hi");
    expect(await socket.ended("r1")).toMatchObject({ outcome: "completed" });
    const [, answer] = await storedMessages("sees-2");
    expect(answer?.parts.find((part) => part.type === "tool-dump")).toMatchObject({ output: { ok: true, rows } });
    const seen = JSON.stringify(model.calls[1]?.prompt);
    expect(seen.length).toBeLessThan(300_000);
    expect(seen).toContain('"ok":true');
    expect(seen).toContain("more items left out");
  });

  it("keeps `messages` to the newest whole turns within the budget", async () => {
    const model = new ScriptedModel(() => say("y".repeat(2_000)));
    stage("sees-3").model = model;
    stage("sees-3").configure = (self) => (self.contextBytes = 10_000);
    const socket = await ChatSocket.open("sees-3", { capabilities: "delta" });
    for (let i = 0; i < 8; i++) {
      socket.ask(`r${i}`, `question ${i}`);
      await socket.ended(`r${i}`);
    }
    const roles = model.calls.at(-1)?.prompt.map((message) => message.role) ?? [];
    expect(roles[1]).toBe("user");
    expect(roles.length).toBeLessThan(12);
    expect(roles.length).toBeGreaterThan(5);
    expect(await storedMessages("sees-3")).toHaveLength(16);
  });
});
