import { type FormEvent, type KeyboardEvent, type RefObject, useState } from "react";

interface ComposerProps {
  /** Where one writes; whoever takes the focus away gives it back here. */
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly isBusy: boolean;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
}

export function Composer({ field, isBusy, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState("");
  const isBlank = text.trim() === "";
  const send = () => {
    if (isBlank) return;
    onSend(text);
    setText("");
    field.current?.focus();
  };
  return (
    <form className="composer" onSubmit={(event) => submit(event, send)}>
      <label htmlFor="message" className="unseen">
        Message
      </label>
      <textarea
        id="message"
        ref={field}
        value={text}
        rows={1}
        autoFocus
        enterKeyHint="send"
        placeholder="Write a message"
        aria-describedby="keys"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => onKey(event, { Enter: send, ...(isBusy ? { Escape: onStop } : {}) })}
      />
      <span id="keys" className="unseen">
        Enter sends, Shift and Enter begins a new line, Escape stops an answer.
      </span>
      {isBusy ? (
        <button type="button" className="stop" onClick={onStop}>
          Stop
        </button>
      ) : null}
      <button type="submit" className="primary" disabled={isBlank}>
        Send
      </button>
    </form>
  );
}

function submit(event: FormEvent, send: () => void): void {
  event.preventDefault();
  send();
}

/** In an input method the keys confirm or leave a word; only otherwise do they act. */
function onKey(event: KeyboardEvent, actions: Readonly<Record<string, () => void>>): void {
  const act = actions[event.key];
  if (act === undefined || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  act();
}
