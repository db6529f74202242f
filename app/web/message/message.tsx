import type { UIMessage } from "ai";
import { memo } from "react";
import { cutOf } from "troupe/client";
import { CopyButton } from "../shell/copy-button.tsx";
import { Icon } from "../shell/icons.tsx";
import { Part } from "./part.tsx";
import { SentFiles } from "./sent-files.tsx";

interface MessageProps {
  readonly message: UIMessage;
  readonly isLast: boolean;
  readonly isGrowing: boolean;
  /** What is to be said of it in a word, below it. */
  readonly note?: string | null;
  /** Given where the answer can be asked for again. */
  readonly onAgain?: (() => void) | undefined;
}

/** A message. Drawn again only when it is another object, so a long conversation costs nothing while one answer grows. */
export const Message = memo(function Message({ message, isLast, isGrowing, note, onAgain }: MessageProps) {
  const isUser = message.role === "user";
  const cut = cutOf(message);
  const lastStep = message.parts.findLastIndex(({ type }) => type === "step-start");
  const text = textOf(message);
  // What a person sent along stands together, in front of what was said about it.
  const files = isUser ? message.parts.filter((part) => part.type === "file") : [];
  return (
    <article
      className={isGrowing ? "message growing" : "message"}
      data-role={message.role}
      aria-label={isUser ? "You" : "Assistant"}
    >
      {files.length === 0 ? null : <SentFiles files={files} />}
      <div className="parts">
        {message.parts.map((part, at) =>
          isUser && part.type === "file" ? null : (
            // Parts are only ever added at the end, so their position names them.
            // oxlint-disable-next-line react/no-array-index-key
            <Part key={at} part={part} isUser={isUser} isStopped={cut?.outcome === "aborted" && at > lastStep} />
          ),
        )}
      </div>
      {note ? <p className="note">{note}</p> : null}
      {cut === null || isLast ? null : (
        <p className="cut">{cut.outcome === "failed" ? (cut.error?.message ?? "Broke off.") : "Stopped."}</p>
      )}
      {isGrowing || text !== "" || onAgain ? (
        // There from the beginning, so that nothing moves when the answer is whole.
        <div className="message-actions">
          {isGrowing || text === "" ? null : <CopyButton what={isUser ? "your message" : "answer"} text={() => text} />}
          {onAgain ? <AgainButton onAgain={onAgain} /> : null}
        </div>
      ) : null}
    </article>
  );
});

function AgainButton({ onAgain }: { readonly onAgain: () => void }) {
  return (
    <button type="button" className="copy" aria-label="Answer again" title="Answer again" onClick={onAgain}>
      <Icon name="retry" />
    </button>
  );
}

/** What the message says, without what was thought, called or attached. */
function textOf({ parts }: UIMessage): string {
  return parts
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n\n")
    .trim();
}
