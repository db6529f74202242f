import { Markdown } from "../markdown/markdown.tsx";

/** What the model thought before it answered, folded. */
export function Reasoning({ text, isGrowing }: { readonly text: string; readonly isGrowing: boolean }) {
  if (text === "") return null;
  return (
    <details className="fold reasoning">
      <summary>
        <span>{isGrowing ? "Thinking…" : "Thoughts"}</span>
        <span className="tool-gist">{isGrowing ? text.slice(-200).replace(/^\S*\s/, "") : text.slice(0, 200)}</span>
      </summary>
      <div className="fold-inside">
        <Markdown text={text} />
      </div>
    </details>
  );
}
