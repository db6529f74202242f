import type { LanguageModelV4ToolResultPart } from "@ai-sdk/provider";

const LONGEST = 300;

/** What the demo model says about the results of its calls. */
export function answerResults(results: readonly LanguageModelV4ToolResultPart[]): string {
  const lines = results.map(describe);
  const only = lines.length === 1 ? lines[0] : undefined;
  return only ?? `Here is what came back:\n\n${lines.map((line) => `- ${line}`).join("\n")}`;
}

/** Whether a call failed or was not allowed, so that later steps should not go on. */
export function isSetback({ output }: LanguageModelV4ToolResultPart): boolean {
  return output.type === "error-text" || output.type === "error-json" || output.type === "execution-denied";
}

function describe({ toolName, output }: LanguageModelV4ToolResultPart): string {
  const name = `\`${toolName}\``;
  switch (output.type) {
    case "execution-denied":
      return `${name} was not allowed${output.reason ? ` (${output.reason})` : ""}, so I left it undone.`;
    case "error-text":
      return `${name} failed: ${output.value}`;
    case "error-json":
      return `${name} failed: ${readable(output.value)}`;
    case "content":
      return `${name} answered with ${output.value.length} part(s): ${readable(output.value)}`;
    case "text":
    case "json":
      return `${name} answered: ${readable(output.value)}`;
  }
}

/** `{a: 1, b: [2, 3]}` as "**a** 1, **b** 2, 3"; cut after 300 characters. */
function readable(value: unknown): string {
  const text =
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value)
          .map(([key, entry]) => `**${key}** ${plain(entry)}`)
          .join(", ")
      : plain(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function plain(value: unknown): string {
  if (typeof value === "string") return value;
  const isFlatList = Array.isArray(value) && value.every((entry) => typeof entry !== "object");
  return isFlatList ? value.join(", ") : (JSON.stringify(value) ?? "nothing");
}
