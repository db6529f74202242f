import { asSchema, type ToolSet } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { appTools } from "../../tools/index.ts";
import type { DemoTool } from "./beats.ts";
import { planCalls } from "./plan-calls.ts";

/** Tools that the model has never seen, as people would write them. */
const strangers: ToolSet = {
  add: { description: "Adds two numbers.", inputSchema: z.object({ a: z.number(), b: z.number() }) },
  write: {
    description: "Writes text to a file.",
    inputSchema: z.object({ path: z.string(), content: z.string() }),
  },
  get_weather: {
    description: "Tells the weather.",
    inputSchema: z.object({
      city: z.string(),
      unit: z.enum(["celsius", "fahrenheit"]).optional(),
    }),
  },
  search: { description: "Finds pages.", inputSchema: z.object({ query: z.string() }) },
  confirmOrder: {
    description: "Asks the person to confirm.",
    inputSchema: z.object({ express: z.boolean(), items: z.array(z.string()), notes: z.string().nullish() }),
  },
  average: { description: "Averages numbers.", inputSchema: z.object({ values: z.array(z.number()) }) },
};

async function asGiven(tools: ToolSet): Promise<DemoTool[]> {
  return Promise.all(
    Object.entries(tools).map(async ([name, { description, inputSchema }]) => ({
      type: "function" as const,
      name,
      description: String(description),
      inputSchema: await asSchema(inputSchema).jsonSchema,
    })),
  );
}

const plans: readonly [request: string, plan: [toolName: string, input: object][][]][] = [
  ["What time is it?", [[["current_time", {}]]]],
  ["what time is it in Tokyo?", [[["current_time", { timeZone: "Asia/Tokyo" }]]]],
  [
    "What's the time in New York and in Berlin?",
    [
      [
        ["current_time", { timeZone: "America/New_York" }],
        ["current_time", { timeZone: "Europe/Berlin" }],
      ],
    ],
  ],
  ["what is (2 + 3) * 4?", [[["calculate", { expression: "(2 + 3) * 4" }]]]],
  ["calculate 12 times 7 plus 1", [[["calculate", { expression: "12 * 7 + 1" }]]]],
  [
    "calculate max(3, 4) and sqrt(16)",
    [
      [
        ["calculate", { expression: "max(3, 4)" }],
        ["calculate", { expression: "sqrt(16)" }],
      ],
    ],
  ],
  ["roll 2 dice", [[["roll_dice", { count: 2 }]]]],
  ["please roll three 20-sided dice", [[["roll_dice", { sides: 20, count: 3 }]]]],
  ["roll 2d6", [[["roll_dice", { sides: 6, count: 2 }]]]],
  ["wait 3 seconds", [[["wait", { seconds: 3 }]]]],
  [
    "roll a d20 and tell me the time in UTC",
    [
      [
        ["roll_dice", { sides: 20, count: 1 }],
        ["current_time", { timeZone: "UTC" }],
      ],
    ],
  ],
  [
    "Roll a d6, then wait for 2 seconds, and then tell me the time.",
    [[["roll_dice", { sides: 6, count: 1 }]], [["wait", { seconds: 2 }]], [["current_time", {}]]],
  ],
  ["Add 2 and 3", [[["add", { a: 2, b: 3 }]]]],
  ['write "eggs and milk" to lists/food.txt', [[["write", { path: "lists/food.txt", content: "eggs and milk" }]]]],
  ['write path=a.md content="hi"', [[["write", { path: "a.md", content: "hi" }]]]],
  ["get the weather in Paris in Celsius", [[["get_weather", { city: "Paris", unit: "celsius" }]]]],
  ['search "durable objects"', [[["search", { query: "durable objects" }]]]],
  ['use confirmOrder without express for "tea"', [[["confirmOrder", { express: false, items: ["tea"] }]]]],
  ["average of 1, 2 and 6", [[["average", { values: [1, 2, 6] }]]]],
  ["hello there, how are you?", []],
];

describe("planCalls", () => {
  it.each(plans)("plans %j", async (request, plan) => {
    const tools = await asGiven({ ...appTools, ...strangers });
    const planned = planCalls(request, tools).map((calls) => calls.map(({ toolName, input }) => [toolName, input]));
    expect(planned).toEqual(plan);
  });

  it("gives input that the tool's own schema accepts", async () => {
    const tools = await asGiven(strangers);
    for (const [call] of tools.map(({ name }) => planCalls(`use ${name} now`, tools)[0] ?? [])) {
      const schema = strangers[call?.toolName ?? ""]?.inputSchema as z.ZodType;
      expect(schema.safeParse(call?.input)).toMatchObject({ success: true });
    }
  });
});
