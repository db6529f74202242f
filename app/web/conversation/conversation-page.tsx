import { useEffect } from "react";
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
  useEffect(() => {
    document.title = `${name} · Troupe`;
  }, [name]);
  const isBusy = chat.status === "submitted" || chat.status === "streaming";
  // Before the first list has come nobody knows whether the conversation is empty.
  const isEmpty = chat.messages.length === 0 && chat.link === "open" && chat.status === "ready";
  return (
    <div className="page">
      <Header name={name} model={model} link={chat.link} isEmpty={chat.messages.length === 0} onClear={chat.clear} />
      <Transcript chat={chat} isBusy={isBusy}>
        {isEmpty ? <EmptyState model={model} onTry={chat.send} /> : <Outcome chat={chat} />}
      </Transcript>
      <footer className="foot">
        <StatusLine chat={chat} />
        <Composer isBusy={isBusy} onSend={chat.send} onStop={chat.stop} />
      </footer>
    </div>
  );
}
