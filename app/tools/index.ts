/** The tools of the app's assistant. None of them needs a network. */
import { calculateTool } from "./calculate.ts";
import { currentTimeTool } from "./current-time.ts";
import { rollDiceTool } from "./roll-dice.ts";
import { waitTool } from "./wait.ts";

export const appTools = {
  current_time: currentTimeTool,
  calculate: calculateTool,
  roll_dice: rollDiceTool,
  wait: waitTool,
};
