import { Markdown } from "./markdown.tsx";

/** What the model thought before it answered, folded. */
export function Reasoning({ text, isGrowing }: { readonly text: string; readonly isGrowing: boolean }) {
  if (text === "") return null;
  return (
    <details className="fold reasoning">
      <summary>{isGrowing ? "Thinking…" : "Thoughts"}</summary>
      <Markdown text={text} />
    </details>
  );
}
