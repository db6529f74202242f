import type { UIMessage } from "ai";
import { memo } from "react";
import { cutOf, isToolPart, type MessagePart } from "troupe/client";
import { Markdown } from "./markdown.tsx";
import { Reasoning } from "./reasoning.tsx";
import { ToolCall } from "./tool-call.tsx";

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
  return (
    <article
      className={isGrowing ? "message growing" : "message"}
      data-role={message.role}
      aria-label={isUser ? "You" : "Assistant"}
    >
      {message.parts.map((part, at) => (
        // Parts are only ever added at the end, so their position names them.
        // oxlint-disable-next-line react/no-array-index-key
        <Part key={at} part={part} isUser={isUser} isStopped={cut?.outcome === "aborted" && at > lastStep} />
      ))}
      {note ? <p className="note">{note}</p> : null}
      {cut === null || isLast ? null : (
        <p className="cut">{cut.outcome === "failed" ? (cut.error?.message ?? "Broke off.") : "Stopped."}</p>
      )}
    </article>
  );
});

interface PartProps {
  readonly part: MessagePart;
  readonly isUser: boolean;
  /** Whether it belongs to the step in which the answer was stopped. */
  readonly isStopped: boolean;
}

function Part({ part, isUser, isStopped }: PartProps) {
  if (isToolPart(part)) return <ToolCall part={part} isStopped={isStopped} />;
  switch (part.type) {
    case "text":
      return isUser ? <p className="plain">{part.text}</p> : <Markdown text={part.text} />;
    case "reasoning":
      return <Reasoning text={part.text} isGrowing={part.state === "streaming"} />;
    case "file":
      return <FilePart url={part.url} name={part.filename ?? part.mediaType} mediaType={part.mediaType} />;
    case "source-url":
      return (
        <p className="source">
          Source:{" "}
          <a href={part.url} target="_blank" rel="noopener noreferrer nofollow">
            {part.title ?? part.url}
          </a>
        </p>
      );
    default:
      return null;
  }
}

function FilePart({
  url,
  name,
  mediaType,
}: {
  readonly url: string;
  readonly name: string;
  readonly mediaType: string;
}) {
  const isPicture = mediaType.startsWith("image/") && url.startsWith("data:image/");
  return isPicture ? <img src={url} alt={name} /> : <p className="file">Attached: {name}</p>;
}
