/** Tools that live in the client, as the model sees them: a schema without `execute`. */
import { jsonSchema, tool, type ToolSet } from "ai";
import { logWarning } from "../../../shared/platform/log.ts";
import type { ClientToolSchema } from "../../../shared/wire.ts";

/** AI SDK tools for client schemas. Missing parameters become an empty object; of two with one name the later wins, with a warning. */
export function createToolsFromClientSchemas(schemas: readonly ClientToolSchema[] = []): ToolSet {
  const tools: ToolSet = {};
  for (const { name, description, parameters } of schemas) {
    if (Object.hasOwn(tools, name)) logWarning("client-tools.duplicate", { name });
    tools[name] = tool({
      ...(description === undefined ? {} : { description }),
      inputSchema: jsonSchema<unknown>(parameters ?? { type: "object" }),
    });
  }
  return tools;
}
