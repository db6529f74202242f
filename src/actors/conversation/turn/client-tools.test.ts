import { asSchema } from "ai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createToolsFromClientSchemas } from "./client-tools.ts";

const warn = console.warn;
const warnings: unknown[] = [];
beforeEach(() => {
  warnings.length = 0;
  console.warn = (...values: unknown[]) => void warnings.push(...values);
});
afterEach(() => void (console.warn = warn));

describe("createToolsFromClientSchemas", () => {
  it("F65, F66: makes tools without execute that offer the client's schema", async () => {
    const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const { where } = createToolsFromClientSchemas([{ name: "where", description: "Asks where.", parameters }]);
    expect(where?.execute).toBeUndefined();
    expect(where?.description).toBe("Asks where.");
    expect(await asSchema(where?.inputSchema).jsonSchema).toEqual(parameters);
  });

  it("F66: gives missing parameters the empty object's schema", async () => {
    const { ping } = createToolsFromClientSchemas([{ name: "ping" }]);
    expect(await asSchema(ping?.inputSchema).jsonSchema).toEqual({ type: "object" });
    expect(ping?.description).toBeUndefined();
  });

  it("F66: lets the later of two with one name win, and warns", () => {
    const tools = createToolsFromClientSchemas([
      { name: "a", description: "first" },
      { name: "b" },
      { name: "a", description: "second" },
    ]);
    expect(tools["a"]?.description).toBe("second");
    expect(warnings).toEqual([{ event: "client-tools.duplicate", name: "a" }]);
  });

  it("makes nothing of nothing, and a tool of any name", () => {
    expect(createToolsFromClientSchemas()).toEqual({});
    expect(createToolsFromClientSchemas([])).toEqual({});
    expect(Object.keys(createToolsFromClientSchemas([{ name: "constructor" }, { name: "toString" }]))).toEqual([
      "constructor",
      "toString",
    ]);
    expect(warnings).toEqual([]);
  });
});
