import {
  APICallError,
  generateText,
  isStepCount,
  type ModelMessage,
  Output,
  streamText,
  type ToolChoice,
  type ToolSet,
} from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { appTools } from "../tools/index.ts";
import { attachedText } from "./attached-text.ts";
import { demoModel } from "./demo-model.ts";
import { humanPace } from "./demo/play-beats.ts";

/** Numbered ids, no waiting. */
function quickModel() {
  let calls = 0;
  return demoModel({ pace: () => 0, generateId: () => `call-${(calls += 1)}` });
}

const echo: ToolSet = {
  echo: {
    description: "Says a text again.",
    inputSchema: z.object({ text: z.string() }),
    execute: ({ text }: { text: string }) => ({ echoed: text }),
  },
  lock_door: {
    description: "Locks the door.",
    inputSchema: z.object({}),
    execute: () => Promise.reject(new Error("jammed")),
  },
};

function ask(prompt: string | ModelMessage[], tools: ToolSet = {}) {
  return streamText({
    model: quickModel(),
    ...(typeof prompt === "string" ? { prompt } : { messages: prompt }),
    tools,
    stopWhen: isStepCount(10),
    maxRetries: 0,
    onError: () => undefined,
  });
}

function choose(toolChoice: ToolChoice<ToolSet>) {
  return generateText({ model: quickModel(), prompt: "hello", tools: echo, toolChoice });
}

async function typesOf(result: ReturnType<typeof ask>): Promise<string[]> {
  const types: string[] = [];
  for await (const part of result.fullStream) if (types.at(-1) !== part.type) types.push(part.type);
  return types;
}

describe("the demo model", () => {
  it("says that it is a demo and needs no network", async () => {
    expect(await ask("hello").text).toMatch(/built-in demo model.*no network/);
  });

  it("answers the same prompt with the same words", async () => {
    expect(await ask("hello").text).toBe(await ask("hello").text);
  });

  it("streams an answer word by word", async () => {
    const words: string[] = [];
    for await (const word of ask("tell me a long story").textStream) words.push(word);
    expect(words.length).toBeGreaterThan(350);
    expect(words.every((word) => /^\S+\s*$/.test(word))).toBe(true);
  });

  it("lists the tools it was given and what to try", async () => {
    const help = await ask("help", echo).text;
    expect(help).toContain("`echo`: Says a text again.");
    expect(help).toContain("fail please");
  });

  it.each([
    ["show me markdown", /\| --- \|[^]*```ts/],
    ["what did I say?", /first thing you said/],
  ])("answers %j", async (request, answer) => {
    expect(await ask(request).text).toMatch(answer);
  });

  it("sees the earlier messages of the conversation", async () => {
    const messages: ModelMessage[] = [
      { role: "user", content: "I like tea" },
      { role: "assistant", content: "Noted." },
      { role: "user", content: "what did I say?" },
    ];
    expect(await ask(messages).text).toContain('"I like tea"');
  });

  it("says of attached files what they are, and how a text begins", async () => {
    const text = attachedText({
      name: "notes.md",
      mediaType: "text/markdown",
      bytes: 1234,
      text: "\n# A long story\nmore",
    });
    const messages: ModelMessage[] = [
      {
        role: "user",
        content: [
          { type: "file", mediaType: "image/png", filename: "p.png", data: new Uint8Array(5) },
          { type: "text", text },
          { type: "text", text: "what did I attach?" },
        ],
      },
    ];
    const answer = await ask(messages).text;
    expect(answer).toContain("You attached 2 files");
    expect(answer).toContain("**p.png** (image/png, 5 bytes)");
    expect(answer).toContain("**notes.md** (text/markdown, 1,234 bytes). It begins with `# A long story`");
    expect(answer).not.toContain("ferry");
  });

  it("reasons before it answers when told to think", async () => {
    const result = ask("think about what 6 * 7 is", appTools);
    const types = await typesOf(result);
    expect(types.indexOf("reasoning-start")).toBeLessThan(types.indexOf("text-start"));
    expect(types).toContain("tool-call");
    expect((await result.steps)[0]?.reasoningText).toContain("6 * 7");
  });

  it("reports usage that adds up", async () => {
    const { inputTokens, outputTokens, totalTokens } = await ask("think about tea").usage;
    expect(inputTokens).toBeGreaterThan(0);
    expect(outputTokens).toBeGreaterThan(0);
    expect(totalTokens).toBe((inputTokens ?? 0) + (outputTokens ?? 0));
  });

  it("generates the same answer without streaming", async () => {
    const { text } = await generateText({ model: quickModel(), prompt: "hello" });
    expect(text).toBe(await ask("hello").text);
  });

  it("fills a schema when JSON is asked for", async () => {
    const { output } = await generateText({
      model: quickModel(),
      prompt: 'the title is "Tea" and it takes 4 minutes',
      output: Output.object({ schema: z.object({ title: z.string(), minutes: z.number() }) }),
    });
    expect(output).toEqual({ title: "Tea", minutes: 4 });
  });

  it("takes an answer up where it broke off", async () => {
    const whole = await ask("show me markdown").text;
    const messages: ModelMessage[] = [
      { role: "user", content: "show me markdown" },
      { role: "assistant", content: whole.slice(0, 100) },
    ];
    expect(whole.slice(0, 100) + (await ask(messages).text)).toBe(whole);
  });
});

describe("the demo model with tools", () => {
  it("streams the input of a call, makes it and answers about the result", async () => {
    const result = ask('echo "good morning"', echo);
    const types = await typesOf(result);
    expect(types).toEqual(
      expect.arrayContaining(["tool-input-start", "tool-input-delta", "tool-input-end", "tool-call", "tool-result"]),
    );
    expect(await result.text).toContain("`echo` answered: **echoed** good morning");
    expect(await result.finishReason).toBe("stop");
  });

  it("makes several calls at once", async () => {
    const steps = await ask("roll 2 dice and tell me the time in Tokyo", appTools).steps;
    expect(steps.map(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName))).toEqual([
      ["roll_dice", "current_time"],
      [],
    ]);
  });

  it("works through steps in order, also when two are alike", async () => {
    const result = ask("roll a die, then roll a die, then calculate 1 + 1", appTools);
    const steps = await result.steps;
    expect(steps.map(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName))).toEqual([
      ["roll_dice"],
      ["roll_dice"],
      ["calculate"],
      [],
    ]);
    expect((await result.text).match(/`roll_dice`|`calculate`/g)).toEqual([
      "`roll_dice`",
      "`roll_dice`",
      "`calculate`",
    ]);
  });

  it("goes on with the right step when earlier ones were pruned from the prompt", async () => {
    const messages: ModelMessage[] = [
      { role: "user", content: 'roll a die, then echo "a", then calculate 1 + 1' },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "x", toolName: "echo", input: { text: "a" } }] },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "x", toolName: "echo", output: { type: "text", value: "a" } }],
      },
    ];
    const [first] = await ask(messages, { ...appTools, ...echo }).steps;
    expect(first?.toolCalls.map(({ toolName }) => toolName)).toEqual(["calculate"]);
  });

  it("stops at a step that fails and says so", async () => {
    const result = ask('use lock_door, then echo "done"', echo);
    expect(await result.text).toContain("`lock_door` failed: Error: jammed");
    expect(await result.steps).toHaveLength(2);
  });

  it("accepts a refusal", async () => {
    const messages: ModelMessage[] = [
      { role: "user", content: "use lock_door" },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "x", toolName: "lock_door", input: {} }] },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "x", toolName: "lock_door", output: { type: "execution-denied" } },
        ],
      },
    ];
    expect(await ask(messages, echo).text).toContain("not allowed");
  });

  it("obeys toolChoice", async () => {
    expect((await choose("required")).toolCalls).toMatchObject([{ toolName: "echo" }]);
    expect((await choose({ type: "tool", toolName: "lock_door" })).toolCalls).toMatchObject([
      { toolName: "lock_door" },
    ]);
    expect((await choose("none")).toolCalls).toEqual([]);
  });
});

describe("the demo model on request", () => {
  it.each([
    ["fail please", 500, false],
    ["rate limit", 429, true],
    ["context overflow", 400, false],
  ])("refuses the call for %j like a provider", async (request, statusCode, isRetryable) => {
    const errors: unknown[] = [];
    for await (const part of ask(request).fullStream) if (part.type === "error") errors.push(part.error);
    expect(errors).toEqual([expect.any(APICallError)]);
    expect(errors[0]).toMatchObject({ statusCode, isRetryable });
  });

  it("fails once, at once, and succeeds when it is asked again", async () => {
    const model = quickModel();
    const call = () => generateText({ model, prompt: "fail please" });
    await expect(call()).rejects.toThrow("you asked it to");
    expect((await call()).text).toContain("This time it worked.");
  });

  it("breaks off in the middle", async () => {
    const types = await typesOf(ask("fail halfway"));
    expect(types.indexOf("text-delta")).toBeLessThan(types.indexOf("error"));
  });

  it("says nothing", async () => {
    const result = ask("say nothing");
    expect(await typesOf(result)).not.toContain("text-start");
    expect(await result.finishReason).toBe("stop");
  });

  it("hangs until it is aborted", async () => {
    const turn = new AbortController();
    const types: string[] = [];
    const result = streamText({ model: quickModel(), prompt: "hang", abortSignal: turn.signal });
    for await (const { type } of result.fullStream) {
      types.push(type);
      if (type === "start") turn.abort();
    }
    expect(types.at(-1)).toBe("abort");
  });

  it("stops in the middle of a pause when its stream is cancelled or aborted", async () => {
    const slow = demoModel({ pace: () => 1_000_000 });
    const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "hello" }] }];
    const { stream } = await slow.doStream({ prompt });
    await stream.cancel("enough");
    const turn = new AbortController();
    const { stream: aborted } = await slow.doStream({ prompt, abortSignal: turn.signal });
    turn.abort(new Error("enough"));
    const read = (async () => {
      for await (const part of aborted) expect(part).toBeDefined();
    })();
    await expect(read).rejects.toThrow("enough");
  });
});

describe("humanPace", () => {
  it("takes 30 to 60 ms a word and longer after punctuation", () => {
    expect(humanPace("a ")).toBe(33);
    expect(humanPace("extraordinary ")).toBe(60);
    expect(humanPace("end. ")).toBe(42 + 180);
    expect(humanPace("well, ")).toBe(45 + 80);
  });
});
