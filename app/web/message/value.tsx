import { useState } from "react";
import { CopyButton } from "../shell/copy-button.tsx";
import { highlight } from "../markdown/highlight.tsx";

/** What is longer is folded, in lines and in characters. */
const SHORT_LINES = 14;
const SHORT_CHARS = 1_200;

interface ValueProps {
  readonly label: string;
  readonly value: unknown;
  readonly isError?: boolean;
}

/** A JSON value or a text under its name: to be copied whole, shown short until somebody wants all of it. */
export function Value({ label, value, isError = false }: ValueProps) {
  const [isWhole, setIsWhole] = useState(false);
  if (value === undefined) return null;
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const short = beginningOf(text);
  const shown = isWhole ? text : short;
  return (
    <figure className="value" data-error={isError || undefined}>
      <figcaption>
        <span>{label}</span>
        <CopyButton what={label.toLowerCase()} text={() => text} />
      </figcaption>
      <pre tabIndex={0} role="group" aria-label={label}>
        {typeof value === "string" ? shown : highlight(shown, "json")}
        {shown === text ? null : "\n…"}
      </pre>
      {short === text ? null : (
        <button type="button" className="link" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? "Show less" : `Show all ${text.length.toLocaleString("en")} characters`}
        </button>
      )}
    </figure>
  );
}

/** The text itself when it is short. */
function beginningOf(text: string): string {
  const lines = text.split("\n", SHORT_LINES + 1);
  const cut = lines.length > SHORT_LINES ? lines.slice(0, SHORT_LINES - 2).join("\n") : text;
  return cut.length > SHORT_CHARS ? cut.slice(0, SHORT_CHARS - 200) : cut;
}
