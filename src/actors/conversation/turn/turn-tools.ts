/**
 * The tools of a turn, in the order of their sources: `getTools()`, then tools
 * of connected MCP servers, then tools of the client. Of two with one name the
 * later source wins.
 */
import type { ToolSet } from "ai";
import type { ClientToolSchema } from "../../../shared/wire.ts";
import { createToolsFromClientSchemas } from "./client-tools.ts";

export interface ToolSources {
  getTools(): ToolSet;
  readonly mcp: {
    waitForConnections(options: { timeout: number }): Promise<void>;
    getAITools(): Record<string, unknown>;
  };
}

/** Tools that run on the server. MCP servers that are still connecting contribute nothing yet. */
export function serverTools(sources: ToolSources): ToolSet {
  return { ...sources.getTools(), ...(sources.mcp.getAITools() as ToolSet) };
}

/** Whether a tool of this name runs on the server: a client's answer to a call of it does not count. */
export function runsOnServer(sources: ToolSources, name: string): boolean {
  const tools = serverTools(sources);
  return Object.hasOwn(tools, name) && tools[name]?.execute !== undefined;
}

/** All tools of a turn, after waiting at most `mcpTimeoutMs` for MCP servers that are known and still connecting. */
export async function turnTools(
  sources: ToolSources,
  clientTools: readonly ClientToolSchema[] | undefined,
  mcpTimeoutMs: number,
): Promise<ToolSet> {
  await sources.mcp.waitForConnections({ timeout: mcpTimeoutMs });
  return { ...serverTools(sources), ...createToolsFromClientSchemas(clientTools) };
}
