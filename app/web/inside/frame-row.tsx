import { memo, useState } from "react";
import { sizeText } from "../message/data-url.ts";
import { highlight } from "../markdown/highlight.tsx";
import { CopyButton } from "../shell/copy-button.tsx";
import { gistOf, labelOf, type LoggedFrame, readable } from "./frame-log.ts";

/** A frame in a line, and as JSON when it is opened. */
export const FrameRow = memo(function FrameRow({ frame }: { readonly frame: LoggedFrame }) {
  const [isOpen, setIsOpen] = useState(false);
  const { direction, type, bytes } = frame;
  if (type === "open" || type === "close") {
    return <li className="frame-event">{labelOf(frame)}</li>;
  }
  return (
    <li className="frame" data-direction={direction}>
      <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>
          <span className="frame-direction">
            <span aria-hidden="true">{direction === "sent" ? "↑" : "↓"}</span>
            <span className="unseen">{direction}</span>
          </span>
          <span className="frame-type">{labelOf(frame)}</span>
          <span className="frame-gist">{gistOf(frame)}</span>
          <span className="frame-size">{sizeText(bytes).replace(/ bytes?$/, " B")}</span>
        </summary>
        {isOpen ? <Content frame={frame} /> : null}
      </details>
    </li>
  );
});

function Content({ frame }: { readonly frame: LoggedFrame }) {
  const text = readable(frame);
  return (
    <figure className="value">
      <figcaption>
        <span>{new Date(frame.atMs).toISOString().slice(11, 23)}</span>
        <CopyButton what="frame" text={() => text} />
      </figcaption>
      <pre tabIndex={0} role="group" aria-label="Frame">
        {highlight(text, "json")}
      </pre>
    </figure>
  );
}
