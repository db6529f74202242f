import { useRef } from "react";
import { Icon } from "../shell/icons.tsx";

interface PictureProps {
  readonly url: string;
  readonly name: string;
  readonly details: string;
}

/** A small picture that opens in full size. */
export function Picture({ url, name, details }: PictureProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => dialog.current?.close();
  return (
    <>
      <button
        type="button"
        className="picture"
        aria-label={`Open ${name}`}
        title={`${name}, ${details}`}
        onClick={() => dialog.current?.showModal()}
      >
        <img src={url} alt={name} decoding="async" />
      </button>
      <dialog ref={dialog} className="lightbox" aria-label={name} onClick={(event) => ifBeside(event, close)}>
        <header>
          <p>
            <span className="file-name">{name}</span> <span className="file-size">{details}</span>
          </p>
          <a className="button" href={url} download={name}>
            Save
          </a>
          <button type="button" className="bare" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        <img src={url} alt={name} decoding="async" loading="lazy" />
      </dialog>
    </>
  );
}

/** A click on the dialog's own ground is one beside what it shows. */
function ifBeside(event: React.MouseEvent, act: () => void): void {
  if (event.target === event.currentTarget) act();
}
