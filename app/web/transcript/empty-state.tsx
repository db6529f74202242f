import type { ModelInfo } from "../conversation/use-model.ts";

/** Something to try: what is said, and what there is to see. */
interface Idea {
  readonly say: string;
  readonly see: string;
  readonly only?: "demo" | "real";
  readonly withFiles?: boolean;
}

const IDEAS: readonly Idea[] = [
  { say: "Show me markdown: a list, a table and a code block", see: "Formatted text and coloured code" },
  { say: "Think about what 37 * 41 is", see: "Thoughts and a tool, folded away", only: "demo" },
  { say: "What is 37 * 41, and what time is it in Tokyo?", see: "Tools, with what went in and out", only: "real" },
  { say: "Roll three dice, then tell me the time in Tokyo", see: "One tool after the other" },
  { say: "Tell me a long story", see: "Reload while it is told, or press stop" },
  { say: "What did I attach?", see: "A picture and a note, sent along", withFiles: true },
  { say: "Fail please", see: "An error that trying again mends", only: "demo" },
  { say: "Wait 20 seconds, then roll two dice", see: "Press stop while it waits", only: "real" },
];

interface EmptyStateProps {
  readonly model: ModelInfo | null;
  readonly onTry: (text: string, withFiles: boolean) => void;
}

export function EmptyState({ model, onTry }: EmptyStateProps) {
  const kind = model === null ? undefined : model.source === "demo" ? "demo" : "real";
  return (
    <section className="empty" aria-label="Ideas to begin with">
      <h2>What shall we do?</h2>
      <p>
        Everything said here is kept under this address. Reload, close the page, open it elsewhere: nothing is lost, and
        whoever has the address sees the same, live.
      </p>
      <ul>
        {IDEAS.filter(({ only }) => only === undefined || only === kind).map(({ say, see, withFiles = false }) => (
          <li key={say}>
            <button type="button" onClick={() => onTry(say, withFiles)}>
              <strong>{say}</strong>
              <span>{see}</span>
            </button>
          </li>
        ))}
      </ul>
      {model === null ? null : <p className="note">{model.note}</p>}
    </section>
  );
}
