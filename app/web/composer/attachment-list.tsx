import { sizeText } from "../message/data-url.ts";
import { Icon } from "../shell/icons.tsx";
import type { Attachments } from "./use-attachments.ts";

/** What goes with the next message, and why something does not. */
export function AttachmentList({ attachments }: { readonly attachments: Attachments }) {
  const { files, refusals, remove } = attachments;
  return (
    <>
      {files.length === 0 ? null : (
        <ul className="attachments" aria-label="Attached files">
          {files.map(({ id, kind, name, bytes, url, isMadeSmaller }) => (
            <li key={id} data-kind={kind}>
              {kind === "picture" ? <img src={url} alt="" /> : <Icon name="file" />}
              <span className="file-name" title={name}>
                {name}
              </span>
              <span className="file-size">
                {isMadeSmaller ? `made smaller to fit, ${sizeText(bytes)}` : sizeText(bytes)}
              </span>
              <button type="button" className="bare" aria-label={`Remove ${name}`} onClick={() => remove(id)}>
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {refusals.length === 0 ? null : (
        <div className="refusals" role="alert">
          {refusals.map((refusal) => (
            <p key={refusal}>{refusal}</p>
          ))}
        </div>
      )}
    </>
  );
}
