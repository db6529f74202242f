import { memo, useMemo } from "react";
import { CopyButton } from "../shell/copy-button.tsx";
import { highlight } from "./highlight.tsx";

interface CodeBlockProps {
  readonly code: string;
  /** As it was written behind the fence; empty when it was not. */
  readonly language: string;
}

/** Code with the name of its language and a way to take it along. */
export const CodeBlock = memo(function CodeBlock({ code, language }: CodeBlockProps) {
  const coloured = useMemo(() => highlight(code, language.toLowerCase()), [code, language]);
  return (
    <figure className="code">
      <figcaption>
        <span>{language || "text"}</span>
        <CopyButton what="code" text={() => code} />
      </figcaption>
      <pre tabIndex={0} role="group" aria-label={`Code, ${language || "text"}`}>
        <code>{coloured}</code>
      </pre>
    </figure>
  );
});
