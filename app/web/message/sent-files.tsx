import type { FileUIPart } from "ai";
import { FilePart, isPicture } from "./file-part.tsx";

/** What a person sent along: the pictures in a row, the other files below them. */
export function SentFiles({ files }: { readonly files: readonly FileUIPart[] }) {
  const pictures = files.filter(({ url }) => isPicture(url));
  const others = files.filter(({ url }) => !isPicture(url));
  return (
    <div className="files">
      {pictures.length === 0 ? null : (
        <div className="pictures" data-several={pictures.length > 1 || undefined}>
          {pictures.map(drawn)}
        </div>
      )}
      {others.length === 0 ? null : <div className="documents">{others.map(drawn)}</div>}
    </div>
  );
}

function drawn({ filename, mediaType, url }: FileUIPart) {
  const key = `${filename} ${url.slice(-40)}`;
  return <FilePart key={key} url={url} name={filename ?? mediaType} mediaType={mediaType} />;
}
