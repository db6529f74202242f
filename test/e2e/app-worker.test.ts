/** The Worker of `npm start` in the Workers runtime, with the models that its variables choose. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTestHarness } from "wrangler";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { userMessage } from "../providers/by-sdk.ts";
import { ChatClient } from "../providers/chat-client.ts";
import { ownRecordings } from "../providers/recordings.ts";
import { startReplayServer } from "../providers/replay-server.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
let page: string;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  page = await mkdtemp(join(tmpdir(), "troupe-page-"));
  await writeFile(join(page, "index.html"), "<h1>the page</h1>");
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});
afterAll(() => rm(page, { recursive: true }));

/** Starts the app's Worker with some variables and gives its origin. */
async function start(vars: Record<string, string> = {}): Promise<string> {
  const classes = ["Assistant", "StreamBuffer"];
  const worker = createTestHarness({
    root,
    workers: [
      {
        config: {
          name: "app",
          main: join(root, "app/server.ts"),
          compatibility_date: "2026-06-11",
          compatibility_flags: ["nodejs_compat"],
          vars,
          assets: { directory: page, binding: "ASSETS", run_worker_first: ["/agents/*", "/api/*"] },
          durable_objects: { bindings: classes.map((name) => ({ name, class_name: name })) },
          migrations: [{ tag: "v1", new_sqlite_classes: classes }],
        },
      },
    ],
  });
  cleanUps.push(() => worker.close());
  return (await worker.listen()).url.origin;
}

async function ask(origin: string, text: string) {
  const client = await ChatClient.connect(`${origin}/agents/assistant/test`);
  cleanUps.push(async () => client.close());
  client.submit("r1", [userMessage("u1", text)]);
  return { end: await client.end("r1"), answer: client.folded("r1") };
}

describe("the app's Worker", () => {
  it("serves the page, says which model answers, and lets the demo model call tools", async () => {
    const origin = await start();
    expect(await (await fetch(origin)).text()).toContain("the page");
    expect(await (await fetch(`${origin}/api/model`)).json()).toMatchObject({ name: "demo", source: "demo" });
    expect((await fetch(`${origin}/api/model`, { method: "POST" })).status).toBe(405);
    const { end, answer } = await ask(origin, "calculate 6 * 7");
    expect(end.outcome).toBe("completed");
    expect(answer.parts).toContainEqual(
      expect.objectContaining({ type: "tool-calculate", output: { expression: "6 * 7", value: 42 } }),
    );
  });

  it("talks to a server that speaks OpenAI's chat completions", async () => {
    const server = await startReplayServer();
    cleanUps.push(() => server.close());
    const recording = ownRecordings.find(({ name }) => name === "openai-chat--text");
    const play = server.play(recording ?? expect.fail("the recording is missing"));
    const origin = await start({ OPENAI_BASE_URL: play.url, OPENAI_MODEL: "local" });
    const { answer } = await ask(origin, "Hello.");
    expect(answer.parts.at(-1)).toMatchObject({ type: "text", text: "That is everything." });
    expect(JSON.parse(play.requests[0] ?? "")).toMatchObject({ model: "local", stream: true });
  });

  it("tells the person in front of it what is missing from a half configuration", async () => {
    const origin = await start({ OPENAI_MODEL: "gpt" });
    const { source, note } = (await (await fetch(`${origin}/api/model`)).json()) as { source: string; note: string };
    expect(source).toBe("misconfigured");
    const { end } = await ask(origin, "Hello.");
    expect(end).toMatchObject({ error: true, code: "no_model", body: note });
  });
});
