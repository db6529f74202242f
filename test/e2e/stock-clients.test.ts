/** Clients of the published packages and curl, unchanged, on the real Worker: every client by every capability. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { clientTable } from "../../scripts/client-table.mjs";
import { read } from "../house/sources.ts";
import { agree, capabilities, settles, shows } from "./stock-clients/capabilities.ts";
import type { ClientCell } from "./stock-clients/cell.ts";
import { clients } from "./stock-clients/clients.ts";
import { Stage } from "./stock-clients/stage.ts";

const ran: (ClientCell & { readonly hasPassed: boolean })[] = [];

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterAll(() => stage?.close());
afterEach(async () => expect(await stage.strike(), "errors that a client reported").toEqual([]));

for (const client of clients) {
  describe(`${client.title}, as it is`, { timeout: 90_000 }, () => {
    for (const { id, title, run } of capabilities) {
      it(`can: ${title}`, async ({ task, onTestFinished }) => {
        const cell = { client: client.title, capability: title };
        task.meta.clientCell = cell;
        onTestFinished(({ task: { result } }) => void ran.push({ ...cell, hasPassed: result?.state !== "fail" }));
        await run(stage.scene(client.id, `${client.id}-${id}`));
      });
    }
  });
}

describe("several clients at one conversation", { timeout: 90_000 }, () => {
  for (const { id, title } of clients.filter(({ isSocket }) => isSocket)) {
    it(`${title}: a tab that was open before follows a turn, a stop and a clear of another`, async () => {
      const scene = stage.scene(id, `${id}-tabs`);
      const [first, second] = [await scene.open(), await scene.open()];
      await first.send("hello");
      const answer = await scene.provider.next();
      answer.say("half");
      await shows(second, "user: hello", "assistant: half");
      await first.stop();
      await answer.cancelled;
      await agree(scene, second, "user: hello", "assistant: half");
      await first.clear();
      await settles(scene, second);
    });
  }

  it("show the same turn, whoever asks", async () => {
    const name = "all-kinds";
    const socket = await stage.scene("ai-chat", name).open();
    const http = stage.scene("ai-sdk", name);
    const asking = await http.open();
    await asking.send("hello");
    const answer = await http.provider.next();
    answer.say("sa");
    await shows(socket, "user: hello", "assistant: sa");
    const curl = await stage.scene("curl", name).open();
    answer.say("me");
    answer.end();
    for (const seat of [asking, socket, curl]) await agree(http, seat, "user: hello", "assistant: same");
  });
});

describe("the README", () => {
  it("has the table of what ran", () => {
    expect(ran).toHaveLength(clients.length * capabilities.length);
    const [, table] = /^### Keep your client\n[^|]*\n(\|.*?)\n\n/ms.exec(read("README.md")) ?? [];
    expect(table).toBe(clientTable(ran));
  });
});
