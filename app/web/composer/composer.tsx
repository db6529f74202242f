import { type ClipboardEvent, type KeyboardEvent, type RefObject, type SubmitEvent, useRef } from "react";
import type { SendPart } from "troupe/client";
import { Icon } from "../shell/icons.tsx";
import { useMediaQuery } from "../shell/use-media-query.ts";
import { AttachmentList } from "./attachment-list.tsx";
import { ACCEPTED } from "./attachment-limits.ts";
import type { Attachments } from "./use-attachments.ts";
import { useDraft } from "./use-draft.ts";

interface ComposerProps {
  /** Where one writes; whoever takes the focus away gives it back here. */
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** The name of the conversation: each has a draft of its own. */
  readonly name: string;
  readonly attachments: Attachments;
  readonly isBusy: boolean;
  readonly onSend: (parts: readonly SendPart[]) => void;
  readonly onStop: () => void;
}

export function Composer({ field, name, attachments, isBusy, onSend, onStop }: ComposerProps) {
  const [text, setText] = useDraft(name);
  // A keyboard on the screen has no other key for a new line, and the send button right above it.
  const isTouch = useMediaQuery("(hover: none), (pointer: coarse)");
  const isBlank = text.trim() === "" && attachments.files.length === 0;
  const send = () => {
    if (isBlank) return;
    onSend(partsOf(text, attachments));
    setText("");
    attachments.reset();
    field.current?.focus();
  };
  return (
    <form className="composer" onSubmit={(event) => submit(event, send)}>
      <AttachmentList attachments={attachments} />
      <label htmlFor="message" className="unseen">
        Message
      </label>
      {/* The box is as high as the text: the same text lies unseen below the field and gives it its height. */}
      <div className="grows" data-text={`${text} `}>
        <textarea
          id="message"
          ref={field}
          value={text}
          rows={1}
          dir="auto"
          // Where a keyboard would come up over the page, one touches the field first.
          autoFocus={!isTouch}
          enterKeyHint={isTouch ? "enter" : "send"}
          placeholder="Write a message"
          aria-describedby="keys"
          onChange={(event) => setText(event.target.value)}
          onPaste={(event) => takePasted(event, attachments)}
          onKeyDown={(event) =>
            onKey(event, {
              ...(isTouch && !event.ctrlKey && !event.metaKey ? {} : { Enter: send }),
              ...(isBusy ? { Escape: onStop } : {}),
            })
          }
        />
      </div>
      <span id="keys" className="unseen">
        {isTouch
          ? "Enter begins a new line, the button Send sends."
          : "Enter sends, Shift and Enter begins a new line, Escape stops an answer."}
      </span>
      <div className="composer-actions">
        <AttachButton attachments={attachments} />
        {isBusy ? (
          <button type="button" className="stop" onClick={onStop}>
            <Icon name="stop" /> Stop
          </button>
        ) : null}
        <button
          type="submit"
          className="primary"
          aria-label="Send"
          title={isTouch ? "Send" : "Send (Enter)"}
          disabled={isBlank}
        >
          <Icon name="send" />
        </button>
      </div>
    </form>
  );
}

function AttachButton({ attachments }: { readonly attachments: Attachments }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        accept={ACCEPTED}
        onChange={({ target }) => {
          void attachments.add([...(target.files ?? [])]);
          // The same file may be chosen again after it was removed.
          target.value = "";
        }}
      />
      <button
        type="button"
        className="bare attach"
        aria-label="Attach files"
        title="Attach pictures or text files; dropping and pasting work too"
        onClick={() => picker.current?.click()}
      >
        <Icon name="attach" />
      </button>
    </>
  );
}

/** Files first: models read better what they are asked about before the question. */
function partsOf(text: string, { files }: Attachments): SendPart[] {
  const parts: SendPart[] = files.map(({ mediaType, name, url }) => ({ type: "file", mediaType, filename: name, url }));
  return text.trim() === "" ? parts : [...parts, { type: "text", text }];
}

/** Pasted files are attached. Where text comes with them, as from a text processor, the text was meant. */
function takePasted(event: ClipboardEvent, attachments: Attachments): void {
  const files = [...event.clipboardData.files];
  if (files.length === 0 || event.clipboardData.types.includes("text/plain")) return;
  event.preventDefault();
  void attachments.add(files);
}

function submit(event: SubmitEvent, send: () => void): void {
  event.preventDefault();
  send();
}

/** The key code of keys that an input method takes. Safari tells the one that ends a word only by it. */
const TAKEN_BY_INPUT_METHOD = 229;

/** In an input method the keys confirm or leave a word; only otherwise do they act. */
function onKey(event: KeyboardEvent, actions: Readonly<Record<string, () => void>>): void {
  const act = actions[event.key];
  if (act === undefined || event.shiftKey) return;
  if (event.nativeEvent.isComposing || event.keyCode === TAKEN_BY_INPUT_METHOD) return;
  event.preventDefault();
  act();
}
