import type { ModelInfo } from "./use-model.ts";

/** Things to type that show what there is to see, with the demo model and with real ones. */
const IDEAS: readonly { readonly say: string; readonly see: string }[] = [
  { say: "What is 37 * 41, and what time is it in Tokyo?", see: "Tools, with their input and output" },
  { say: "Tell me a long story", see: "Reload, or open a second tab, while it is told" },
  { say: "Show me markdown: a list, a table and a code block", see: "Formatted text" },
  { say: "Wait 20 seconds, then roll two dice", see: "Press stop while it waits" },
];

interface EmptyStateProps {
  readonly model: ModelInfo | null;
  readonly onTry: (text: string) => void;
}

export function EmptyState({ model, onTry }: EmptyStateProps) {
  return (
    <section className="empty" aria-label="Ideas to begin with">
      <h2>What shall we do?</h2>
      <p>
        Everything said here is kept under this address. It is the only way back to this conversation, so keep it;
        whoever opens it sees the same, live. Try one of these, or write your own below.
      </p>
      <ul>
        {IDEAS.map(({ say, see }) => (
          <li key={say}>
            <button type="button" onClick={() => onTry(say)}>
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
