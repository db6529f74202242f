import { type FormEvent, type KeyboardEvent, useRef, useState } from "react";

interface ComposerProps {
  readonly isBusy: boolean;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
}

export function Composer({ isBusy, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
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
        onKeyDown={(event) => onKey(event, send)}
      />
      <span id="keys" className="unseen">
        Enter sends, Shift and Enter begins a new line.
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

/** Enter confirms a word in an input method; only otherwise does it send. */
function onKey(event: KeyboardEvent, send: () => void): void {
  if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  send();
}
