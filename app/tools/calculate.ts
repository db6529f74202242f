/**
 * Arithmetic for the model. The text is checked against a closed list of
 * characters and words before it reaches the parser, so that nothing but
 * numbers, operators and these functions can be expressed.
 */
import { tool } from "ai";
import { Parser } from "expr-eval-fork";
import { z } from "zod";

const MAX_EXPRESSION_LENGTH = 300;

const words = new Set(
  "sqrt cbrt abs ceil floor round trunc sign exp ln log log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh min max pow hypot fac pi PI E".split(
    " ",
  ),
);

const parser = new Parser({ allowMemberAccess: false, operators: { assignment: false, fndef: false, in: false } });
parser.consts = { pi: Math.PI, PI: Math.PI, E: Math.E };

/** The value of an arithmetic expression of at most 300 characters. Anything else is an error that names the problem. */
export function calculate(expression: string): number {
  if (expression.length > MAX_EXPRESSION_LENGTH) {
    throw new Error(`The expression is longer than ${MAX_EXPRESSION_LENGTH} characters.`);
  }
  const text = expression.replaceAll("×", "*").replaceAll("÷", "/").replaceAll("−", "-").replaceAll("**", "^");
  const unknown = text.replace(/\d+(?:\.\d+)?e[+-]?\d+/gi, "0").match(/[A-Za-z_]\w*|[^\d\s.+\-*/%^()!,A-Za-z_]/g);
  const problem = unknown?.find((word) => !words.has(word));
  if (problem !== undefined) throw new Error(`Cannot calculate with "${problem}" in "${expression}".`);
  const value: unknown = parser.evaluate(text);
  if (typeof value !== "number" || !Number.isFinite(value)) throw new Error(`"${expression}" has no finite value.`);
  return value;
}

/** `calculate({expression})`: plain arithmetic with `+ - * / % ^ !`, brackets and the usual functions. */
export const calculateTool = tool({
  description: "Calculates the value of an arithmetic expression such as (3 + 4) * sqrt(2).",
  inputSchema: z.object({
    expression: z.string().min(1).describe("Numbers, + - * / % ^, brackets and functions such as sqrt, sin, min, max"),
  }),
  execute: ({ expression }) => ({ expression, value: calculate(expression) }),
});
