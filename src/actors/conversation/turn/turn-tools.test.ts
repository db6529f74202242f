import { jsonSchema, tool, type ToolSet } from "ai";
import { describe, expect, it } from "vitest";
import { serverTools, turnTools } from "./turn-tools.ts";

const named = (description: string) =>
  tool({ description, inputSchema: jsonSchema({ type: "object" }), execute: () => description });

function sources(own: ToolSet, mcp: ToolSet) {
  const waits: number[] = [];
  return {
    waits,
    getTools: () => own,
    mcp: {
      waitForConnections: async ({ timeout }: { timeout: number }) => void waits.push(timeout),
      getAITools: () => mcp,
    },
  };
}

describe("tools of a turn", () => {
  it("F26, F67: merges own, MCP and client tools in this order, the later winning a name", async () => {
    const all = sources({ a: named("own"), b: named("own"), c: named("own") }, { b: named("mcp"), c: named("mcp") });
    const tools = await turnTools(all, [{ name: "c", description: "client" }], 10);
    expect(Object.entries(tools).map(([name, entry]) => [name, entry.description])).toEqual([
      ["a", "own"],
      ["b", "mcp"],
      ["c", "client"],
    ]);
    expect(tools["c"]?.execute).toBeUndefined();
  });

  it("T40: waits a bounded time for MCP servers, then takes what is there", async () => {
    const all = sources({}, {});
    await turnTools(all, undefined, 250);
    expect(all.waits).toEqual([250]);
    expect(serverTools(all)).toEqual({});
  });
});
