import { useEffect, useRef } from "react";
import { useConversation } from "troupe/react";
import { Composer } from "./composer.tsx";
import { EmptyState } from "./empty-state.tsx";
import { Header } from "./header.tsx";
import { Outcome } from "./outcome.tsx";
import { StatusLine } from "./status-line.tsx";
import { Transcript } from "./transcript.tsx";
import { useModel } from "./use-model.ts";

/** One conversation, by its name. */
export function ConversationPage({ name }: { readonly name: string }) {
  const chat = useConversation({ agent: "assistant", name });
  const model = useModel();
  const field = useRef<HTMLTextAreaElement>(null);
  // A button that goes away when it is pressed would take the focus with it.
  const backToField = (act: () => void) => () => {
    act();
    field.current?.focus();
  };
  useEffect(() => {
    document.title = `${name} · Troupe`;
  }, [name]);
  const isBusy = chat.status === "submitted" || chat.status === "streaming";
  // Before the first list has come nobody knows whether the conversation is empty.
  const isEmpty = chat.messages.length === 0 && chat.link === "open" && chat.status === "ready";
  return (
    <div className="page">
      <Header
        name={name}
        model={model}
        link={chat.link}
        isEmpty={chat.messages.length === 0}
        onClear={backToField(chat.clear)}
      />
      <Transcript chat={chat} isBusy={isBusy}>
        {isEmpty ? (
          <EmptyState model={model} onTry={(text) => backToField(() => chat.send(text))()} />
        ) : (
          <Outcome chat={chat} onRetry={backToField(chat.retry)} />
        )}
      </Transcript>
      <footer className="foot">
        <StatusLine chat={chat} />
        <Composer field={field} isBusy={isBusy} onSend={chat.send} onStop={backToField(chat.stop)} />
      </footer>
    </div>
  );
}
