import type { UIMessage } from "ai";
import { useEffect, useRef, useState } from "react";
import { type Conversation, useConversation } from "troupe/react";
import { Composer } from "../composer/composer.tsx";
import { sampleParts } from "../composer/sample-files.ts";
import { useAttachments } from "../composer/use-attachments.ts";
import { useDrop } from "../composer/use-drop.ts";
import { FrameTap } from "../inside/frame-tap.ts";
import { forget } from "../recent/recent-list.ts";
import { recent } from "../recent/recent-store.ts";
import { titleOfMessages, useRemember } from "../recent/use-remember.ts";
import { useStored } from "../shell/stored-value.ts";
import { useOnline } from "../shell/use-online.ts";
import { Announcer } from "../transcript/announcer.tsx";
import { EmptyState } from "../transcript/empty-state.tsx";
import { Outcome } from "../transcript/outcome.tsx";
import { Transcript } from "../transcript/transcript.tsx";
import { connectionOf } from "./connection.ts";
import { Header } from "./header.tsx";
import { Panel, usePanel } from "./panel.tsx";
import { StatusLine } from "./status-line.tsx";
import { type ModelInfo, useModel } from "./use-model.ts";

interface ConversationViewProps {
  readonly name: string;
  readonly onMenu: (() => void) | null;
}

/** One conversation: what was said, where one writes, and, for the curious, what is behind it. */
export function ConversationView({ name, onMenu }: ConversationViewProps) {
  const [tap] = useState(() => new FrameTap());
  const chat = useConversation({ agent: "assistant", name, socket: tap.socket });
  const model = useModel();
  const panel = usePanel();
  const attachments = useAttachments();
  const isDropping = useDrop((files) => void attachments.add(files));
  const field = useRef<HTMLTextAreaElement>(null);
  // A button that goes away when it is pressed would take the focus with it: it goes to where one writes.
  const backToField = (act: () => void) => () => {
    act();
    field.current?.focus();
  };
  const title = useTitle(name, chat.messages);
  useRemember(name, chat.messages);
  const isBusy = chat.status === "submitted" || chat.status === "streaming";
  const isEmpty = chat.messages.length === 0;
  const connection = connectionOf({ ...chat, isEmpty }, useOnline());
  const clear = () => {
    chat.clear();
    recent.update((list) => forget(list, name));
  };
  return (
    <>
      <div className="conversation" data-dropping={isDropping || undefined}>
        <Header
          {...{ title, name, model, connection, isEmpty, onMenu }}
          isPanelOpen={panel.isOpen}
          onTogglePanel={panel.toggle}
          onClear={backToField(clear)}
        />
        <Transcript {...{ chat, isBusy }} onAgain={backToField(chat.retry)}>
          <Behind {...{ chat, model, backToField }} />
        </Transcript>
        <footer className="foot">
          <Announcer chat={chat} />
          <StatusLine {...{ chat, connection }} />
          <Composer {...{ field, name, attachments, isBusy }} onSend={chat.send} onStop={backToField(chat.stop)} />
        </footer>
        {isDropping ? <p className="drop-hint">Drop pictures and text files to attach them</p> : null}
      </div>
      <Panel {...{ name, tap, isBusy, isEmpty, panel }} />
    </>
  );
}

interface BehindProps {
  readonly chat: Conversation;
  readonly model: ModelInfo | null;
  readonly backToField: (act: () => void) => () => void;
}

/** What stands behind the last message: how the last turn ended, or, before the first, what one might try. */
function Behind({ chat, model, backToField }: BehindProps) {
  // Before the first list has come nobody knows whether the conversation is empty.
  const isEmpty = chat.messages.length === 0 && chat.link === "open" && chat.status === "ready";
  if (!isEmpty) return <Outcome chat={chat} onRetry={backToField(chat.retry)} />;
  const onTry = (text: string, withFiles: boolean) => {
    if (!withFiles) chat.send(text);
    else void sampleParts().then((files) => chat.send([...files, { type: "text", text }]));
  };
  return <EmptyState model={model} onTry={(...idea) => backToField(() => onTry(...idea))()} />;
}

/** The title of a conversation: as this browser remembers it, or else from what was said. Also that of the page. */
function useTitle(name: string, messages: readonly UIMessage[]): string {
  const remembered = useStored(recent).find((entry) => entry.name === name)?.title;
  const title = remembered || titleOfMessages(messages) || "New conversation";
  useEffect(() => {
    document.title = `${title} · Troupe`;
  }, [title]);
  return title;
}
