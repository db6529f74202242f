import type { ToolPart } from "troupe/client";
import { Value } from "./value.tsx";

const stateWords: Readonly<Record<ToolPart["state"], string>> = {
  "input-streaming": "preparing",
  "input-available": "running",
  "approval-requested": "waits for approval",
  "approval-responded": "decided",
  "output-available": "done",
  "output-error": "failed",
  "output-denied": "not allowed",
};

interface ToolCallProps {
  readonly part: ToolPart;
  /** Whether the answer was stopped in its step: then a call without a result was cut, and did not fail. */
  readonly isStopped: boolean;
}

/** A tool call: its name and state, and, unfolded, what went in and what came out. */
export function ToolCall({ part, isStopped }: ToolCallProps) {
  const name = part.type === "dynamic-tool" ? part.toolName : part.type.slice("tool-".length);
  const isCut = isStopped && part.state === "output-error";
  const outcome = isCut ? null : outcomeOf(part);
  return (
    <details className="fold tool" data-state={isCut ? "stopped" : part.state}>
      <summary>
        <code>{name}</code>
        <span className="tool-gist">{isCut ? valuesOf(part.input).join(", ") : gistOf(part)}</span>
        <span className="tool-state">{isCut ? "stopped" : stateWords[part.state]}</span>
      </summary>
      <div className="fold-inside">
        <Value label="Input" value={part.input} />
        {outcome === null ? null : <Value {...outcome} />}
      </div>
    </details>
  );
}

interface Outcome {
  readonly label: string;
  readonly value: unknown;
  readonly isError?: boolean;
}

function outcomeOf(part: ToolPart): Outcome | null {
  switch (part.state) {
    case "output-available":
      return { label: part.preliminary === true ? "Output so far" : "Output", value: part.output };
    case "output-error":
      return { label: "Error", value: part.errorText, isError: true };
    default:
      return null;
  }
}

/** The call in a few words, for the folded line: what went in, and what came out beyond that. */
function gistOf(part: ToolPart): string {
  const input = valuesOf(part.input);
  if (part.state === "output-error") return part.errorText;
  if (part.state !== "output-available") return input.join(", ");
  const output = valuesOf(part.output).filter((value) => !input.includes(value));
  return [input.join(", "), output.join(", ")].filter((text) => text !== "").join(" → ");
}

function valuesOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const isPlain = typeof value === "object" && !Array.isArray(value);
  return (isPlain ? Object.values(value) : [value]).map(textOf);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
