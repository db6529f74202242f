import { useEffect, useState } from "react";
import { Icon } from "./icons.tsx";

interface CopyButtonProps {
  /** What is copied, asked for when it is. */
  readonly text: () => string;
  /** Of what, for those who do not see where the button stands: `code`, `message`. */
  readonly what: string;
}

const SHOWN_MS = 1_600;

/** Copies a text, and says for a moment whether that worked. */
export function CopyButton({ text, what }: CopyButtonProps) {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  useEffect(() => {
    if (state === "idle") return undefined;
    const timer = setTimeout(() => setState("idle"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () => void writeText(text()).then((isDone) => setState(isDone ? "copied" : "failed"));
  return (
    <button type="button" className="copy" aria-label={`Copy ${what}`} data-state={state} onClick={copy}>
      <Icon name={state === "copied" ? "check" : "copy"} />
      <span>{{ idle: "Copy", copied: "Copied", failed: "Not allowed" }[state]}</span>
    </button>
  );
}

/** Whether the text is in the clipboard; a browser may refuse, and without https there is none. */
async function writeText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    if (error instanceof DOMException || error instanceof TypeError) return false;
    throw error;
  }
}
