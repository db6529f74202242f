import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { type BareAgent, stage } from "../test/harness/agents.ts";
import { ChatSocket } from "../test/harness/chat-socket.ts";
import { countsOf, resetCounts } from "../test/harness/counters.ts";
import { say, ScriptedModel } from "../test/harness/scripted-model.ts";
import { costOf } from "./cost.ts";
import { holdClock } from "./held-clock.ts";
import { ledgerOf } from "./ledger.ts";

holdClock();

/** What a new Agent that does nothing writes until its first socket is open. */
async function bareRows(name: string): Promise<number> {
  const { BareAgent } = env as unknown as { BareAgent: DurableObjectNamespace<BareAgent> };
  resetCounts(`bare:${name}`);
  const url = `http://test.local/agents/bare-agent/${name}`;
  const response = await BareAgent.getByName(name).fetch(url, { headers: { upgrade: "websocket" } });
  response.webSocket?.accept();
  return countsOf(`bare:${name}`).rowsWritten;
}

describe("a new conversation", () => {
  it("adds few rows to those of a bare Agent, its first turn included", async (test) => {
    const name = "cost-first";
    stage(name).model = new ScriptedModel(() => say("Hello"));
    const opened = await costOf(name, () => ChatSocket.open(name, { capabilities: "delta,cursor" }));
    const socket = await ChatSocket.open(name, { capabilities: "delta,cursor" });
    const turn = await costOf(name, async () => {
      socket.ask("r1", "hi");
      await socket.ended("r1");
    });
    const bare = await bareRows("cost-first-bare");
    const ledger = ledgerOf(test, "first request of a conversation");
    ledger.show("rows written by a bare Agent", bare);
    ledger.atMost("rows written more until the socket is open", opened.rows - bare, 18);
    ledger.atMost("rows written more until the turn has ended", opened.rows + turn.rows - bare, 32, 40);
    ledger.atMost("alarms set", opened.alarms + turn.alarms, 2);
  });
});
