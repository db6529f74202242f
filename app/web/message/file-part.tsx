import { useMemo } from "react";
import { Icon } from "../shell/icons.tsx";
import { bytesIn, sizeText, textIn } from "./data-url.ts";
import { Picture } from "./picture.tsx";
import { Value } from "./value.tsx";

interface FilePartProps {
  readonly url: string;
  readonly name: string;
  readonly mediaType: string;
}

/** A file that came with a message. Only what the message itself holds is shown; other addresses are named. */
export function FilePart({ url, name, mediaType }: FilePartProps) {
  const bytes = useMemo(() => bytesIn(url), [url]);
  const details = bytes === null ? mediaType : sizeText(bytes);
  if (isPicture(url)) return <Picture url={url} name={name} details={details} />;
  if (bytes === null || !isText(mediaType)) {
    return (
      <p className="file">
        <Icon name="file" /> <span className="file-name">{name}</span> <span className="file-size">{details}</span>
      </p>
    );
  }
  return <TextFile url={url} name={name} details={details} />;
}

/** Whether an address holds a picture that is shown. */
export function isPicture(url: string): boolean {
  return /^data:image\/(png|jpeg|gif|webp|avif)[;,]/.test(url);
}

function TextFile({ url, name, details }: Omit<FilePartProps, "mediaType"> & { readonly details: string }) {
  const text = useMemo(() => textIn(url), [url]);
  return (
    <details className="fold file">
      <summary>
        <Icon name="file" />
        <span className="file-name">{name}</span>
        <span className="file-size">{details}</span>
      </summary>
      <div className="fold-inside">
        {text === null ? <p>This file is not text.</p> : <Value label="Content" value={text} />}
      </div>
    </details>
  );
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith("text/") || mediaType === "application/json";
}
