import { tool } from "ai";
import { z } from "zod";

/** Rolls `count` dice with `sides` sides each. `random` gives numbers from 0 up to, not including, 1. */
export function rollDice(sides: number, count: number, random: () => number): { rolls: number[]; total: number } {
  const rolls = Array.from({ length: count }, () => 1 + Math.floor(random() * sides));
  return { rolls, total: rolls.reduce((sum, roll) => sum + roll, 0) };
}

/** `roll_dice({sides, count})`: up to 100 dice of 2 to 1000 sides. */
export const rollDiceTool = tool({
  description: "Rolls one or more dice and adds them up.",
  inputSchema: z.object({
    sides: z.number().int().min(2).max(1000).default(6).describe("How many sides each one has"),
    count: z.number().int().min(1).max(100).default(1).describe("How many dice to roll"),
  }),
  execute: ({ sides, count }) => rollDice(sides, count, Math.random),
});
