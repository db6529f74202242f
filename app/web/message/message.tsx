import type { UIMessage } from "ai";
import { memo } from "react";
import { cutOf } from "troupe/client";
import { CopyButton } from "../shell/copy-button.tsx";
import { FilePart } from "./file-part.tsx";
import { Part } from "./part.tsx";

interface MessageProps {
  readonly message: UIMessage;
  readonly isLast: boolean;
  readonly isGrowing: boolean;
  /** What is to be said of it in a word, below it. */
  readonly note?: string | null;
}

/** A message. Drawn again only when it is another object, so a long conversation costs nothing while one answer grows. */
export const Message = memo(function Message({ message, isLast, isGrowing, note }: MessageProps) {
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
      {files.length === 0 ? null : (
        <div className="files">
          {files.map(({ filename, mediaType, url }) => (
            <FilePart
              key={`${filename} ${url.slice(-40)}`}
              url={url}
              name={filename ?? mediaType}
              mediaType={mediaType}
            />
          ))}
        </div>
      )}
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
      {isGrowing || text === "" ? null : (
        <div className="message-actions">
          <CopyButton what={isUser ? "your message" : "answer"} text={() => text} />
        </div>
      )}
    </article>
  );
});

/** What the message says, without what was thought, called or attached. */
function textOf({ parts }: UIMessage): string {
  return parts
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n\n")
    .trim();
}
