import type { ToolPart } from "troupe/client";
import { gistOf, inputGist } from "./tool-gist.ts";
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
        <span className="tool-gist">{isCut ? inputGist(part.input) : gistOf(part)}</span>
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
