/** Our own hooks and transport in a real browser, on the real Worker: everything that the published clients can do, and more. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ConversationTransport } from "../../src/client/ai-sdk/index.ts";
import { ChatClient } from "../../src/client/index.ts";
import { root } from "../house/sources.ts";
import { agree, capabilities, shows } from "./stock-clients/capabilities.ts";
import { ownClients } from "./stock-clients/clients.ts";
import { Stage } from "./stock-clients/stage.ts";

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterAll(() => stage?.close());
afterEach(async () => expect(await stage.strike(), "errors that a client reported").toEqual([]));

for (const client of ownClients) {
  describe(client.title, { timeout: 90_000 }, () => {
    for (const { id, title, run } of capabilities) {
      it(`can: ${title}`, () => run(stage.scene(client.id, `${client.id}-${id}`)));
    }

    it("F266: goes on with an answer when its tab is closed", async () => {
      const scene = stage.scene(client.id, `${client.id}-closed`);
      const first = await scene.open();
      await first.send("hello");
      const answer = await scene.provider.next();
      answer.say("one ");
      await shows(first, "user: hello", "assistant: one ");
      await first.close();
      answer.say("two");
      answer.end();
      await expect.poll(() => scene.stored(), { timeout: 20_000 }).toEqual(["user: hello", "assistant: one two"]);
    });
  });
}

/** Those whose socket comes back at once. */
const overAgent = ownClients.filter(({ id }) => id !== "own-transport");

describe("the hook over a connection of an agent", { timeout: 90_000 }, () => {
  it.each(overAgent)("F264: $id shows the whole text after 20 cuts in one answer", async ({ id }) => {
    const scene = stage.scene(id, `${id}-20-cuts`);
    const seat = await scene.open();
    await seat.send("hello");
    const answer = await scene.provider.next();
    let text = "";
    for (let cut = 0; cut < 20; cut++) {
      answer.say(`${cut} `);
      text += `${cut} `;
      // What is said while the connection is gone comes with what was said before.
      if (cut % 2 === 0) await shows(seat, "user: hello", `assistant: ${text}`);
      scene.cut();
    }
    answer.say("done");
    answer.end();
    await agree(scene, seat, "user: hello", `assistant: ${text}done`);
  });

  it.each(overAgent)("F265: $id shows the same in three tabs, live", async ({ id }) => {
    const scene = stage.scene(id, `${id}-three-tabs`);
    const tabs = [await scene.open(), await scene.open(), await scene.open()];
    await tabs[0]?.send("hello");
    const answer = await scene.provider.next();
    let said = "";
    for (const text of ["one ", "two ", "three"]) {
      answer.say(text);
      said += text;
      for (const tab of tabs) await shows(tab, "user: hello", `assistant: ${said}`);
    }
    answer.end();
    for (const tab of tabs) await agree(scene, tab, "user: hello", "assistant: one two three");
  });
});

describe("a script in Node", { timeout: 60_000 }, () => {
  it("F271: holds a conversation over the client, over a cut, without a page", async () => {
    const scene = stage.scene("own-delta", "script");
    const client = new ChatClient({ agent: "assistant", name: "script", host: stage.url });
    client.connect();
    client.send("hello");
    const answer = await scene.provider.next();
    const texts = () =>
      client.getSnapshot().messages.map(({ parts }) => parts.map((part) => ("text" in part ? part.text : "")).join(""));
    answer.say("one ");
    await expect.poll(texts, { timeout: 20_000 }).toEqual(["hello", "one "]);
    scene.cut();
    answer.say("two");
    answer.end();
    await expect.poll(() => client.getSnapshot().lastTurn?.outcome, { timeout: 20_000 }).toBe("completed");
    expect(texts()).toEqual(["hello", "one two"]);
    client.close();
  });

  it("ends when its client is closed: nothing of the socket keeps it", async () => {
    const scene = stage.scene("own-delta", "script-end");
    const script = `
      import { ChatClient } from "troupe/client";
      const onTurnEnd = () => {
        chat.close();
        setTimeout(() => process.exit(3), 4_000).unref();
      };
      const chat = new ChatClient({ agent: "assistant", name: "script-end", host: ${JSON.stringify(stage.url)}, onTurnEnd });
      chat.connect();
      chat.send("hello");`;
    const run = promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], { cwd: root });
    const answer = await scene.provider.next();
    answer.say("one");
    answer.end();
    // It would have ended itself, and with code 3, had anything kept it.
    expect(await run).toEqual({ stdout: "", stderr: "" });
  });

  it("F271: reads an answer as a stream of chunks, over a cut, each once", async () => {
    const scene = stage.scene("own-transport", "script-stream");
    const client = new ChatClient({ agent: "assistant", name: "script-stream", host: stage.url });
    const transport = new ConversationTransport(client);
    const stream = await transport.sendMessages({
      trigger: "submit-message",
      chatId: "script",
      messageId: undefined,
      messages: [{ id: "u1", role: "user", parts: [{ type: "text", text: "hello" }] }],
      abortSignal: undefined,
    });
    const answer = await scene.provider.next();
    const deltas: string[] = [];
    const read = stream.pipeTo(
      new WritableStream({ write: (chunk) => void (chunk.type === "text-delta" && deltas.push(chunk.delta)) }),
    );
    answer.say("one ");
    await expect.poll(() => deltas.join(""), { timeout: 20_000 }).toBe("one ");
    await scene.whileDown(async () => {
      answer.say("two");
      answer.end();
      await expect.poll(() => scene.stored(), { timeout: 20_000 }).toEqual(["user: hello", "assistant: one two"]);
    });
    await read;
    expect(deltas.join("")).toBe("one two");
    client.close();
  });
});
