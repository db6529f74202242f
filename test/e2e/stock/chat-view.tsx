/** What every client on this page shows, and the three things a person can do. */
import type { UIMessage } from "ai";
import { type FormEvent, useState } from "react";

export interface ChatProps {
  readonly messages: readonly UIMessage[];
  readonly isBusy: boolean;
  readonly error: Error | undefined;
  send(text: string): void;
  stop(): void;
  clear(): void;
}

export function ChatView({ messages, isBusy, error, send, stop, clear }: ChatProps) {
  const [text, setText] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send(text);
    setText("");
  };
  return (
    <>
      <output>{isBusy ? "busy" : "idle"}</output>
      <ol>
        {messages.map((message) => (
          <li key={message.id}>
            {message.role}: {message.parts.map((part) => (part.type === "text" ? part.text : "")).join("")}
          </li>
        ))}
      </ol>
      <p role="alert">{error?.message}</p>
      <form onSubmit={submit}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
      </form>
      <button type="button" onClick={stop}>
        Stop
      </button>
      <button type="button" onClick={clear}>
        Clear
      </button>
    </>
  );
}
