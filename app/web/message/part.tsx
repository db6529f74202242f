import { isToolPart, type MessagePart } from "troupe/client";
import { Link } from "../markdown/block.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { FilePart } from "./file-part.tsx";
import { Reasoning } from "./reasoning.tsx";
import { ToolCall } from "./tool-call.tsx";

interface PartProps {
  readonly part: MessagePart;
  readonly isUser: boolean;
  /** Whether it belongs to the step in which the answer was stopped. */
  readonly isStopped: boolean;
}

/** One part of a message, as far as people are to see it. */
export function Part({ part, isUser, isStopped }: PartProps) {
  if (isToolPart(part)) return <ToolCall part={part} isStopped={isStopped} />;
  switch (part.type) {
    case "text":
      return isUser ? (
        <p className="plain" dir="auto">
          {part.text}
        </p>
      ) : (
        <Markdown text={part.text} />
      );
    case "reasoning":
      return <Reasoning text={part.text} isGrowing={part.state === "streaming"} />;
    case "file":
      return <FilePart url={part.url} name={part.filename ?? part.mediaType} mediaType={part.mediaType} />;
    case "source-url":
      return (
        <p className="source">
          Source: <Link href={/^https?:/i.test(part.url) ? part.url : undefined}>{part.title ?? part.url}</Link>
        </p>
      );
    default:
      return null;
  }
}
