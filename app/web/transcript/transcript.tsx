import { Fragment, type ReactNode, useEffect } from "react";
import type { Conversation } from "troupe/react";
import { Message } from "../message/message.tsx";
import { Older } from "./older.tsx";
import { ToLatest } from "./to-latest.tsx";
import { unansweredIds } from "./unanswered.ts";
import { useStickToEnd } from "./use-stick-to-end.ts";
import { waitingIds } from "./waiting.ts";

interface TranscriptProps {
  readonly chat: Conversation;
  readonly isBusy: boolean;
  /** Asks for the last answer again. */
  readonly onAgain: () => void;
  /** What stands behind the last message. */
  readonly children: ReactNode;
}

/** The messages, in a box of their own that scrolls. */
export function Transcript({ chat, isBusy, onAgain, children }: TranscriptProps) {
  const { messages } = chat;
  const { box, content, isAtEnd, goToEnd } = useStickToEnd(messages[0]?.id);
  const lastOwn = messages.findLast(({ role }) => role === "user")?.id;
  useEffect(() => {
    if (lastOwn !== undefined) goToEnd();
  }, [lastOwn, goToEnd]);
  // The button goes away when it is pressed: the focus goes to what it leads to.
  const goAndFocus = () => {
    goToEnd();
    box.current?.focus({ preventScroll: true });
  };
  const unanswered = unansweredIds(messages, isBusy);
  const waiting = waitingIds(chat);
  const firstWaiting = messages.find(({ id }) => waiting.has(id));
  // The next answer comes before the questions that wait.
  const dots = chat.status === "submitted" ? <Dots /> : null;
  const last = messages.at(-1);
  // Where trying again is on offer already, below, that says it.
  const answered = !isBusy && !chat.canRetry && last?.role === "assistant" ? last : undefined;
  const noteOf = (id: string) => {
    if (waiting.has(id)) return "waiting";
    return unanswered.has(id) ? "not answered" : null;
  };
  return (
    <main className="box">
      <div className="scroll" ref={box} role="region" aria-label="Conversation" tabIndex={0}>
        <div className="content" ref={content}>
          {chat.hasMore ? <Older onLoad={chat.loadOlder} /> : null}
          <div role="log" aria-live="off" aria-busy={isBusy} aria-label="Messages" className="messages">
            {messages.map((message) => (
              <Fragment key={message.id}>
                {message === firstWaiting ? dots : null}
                <Message
                  message={message}
                  isLast={message === last}
                  isGrowing={message.id === chat.streamingId}
                  note={noteOf(message.id)}
                  onAgain={message === answered ? onAgain : undefined}
                />
              </Fragment>
            ))}
            {firstWaiting === undefined ? dots : null}
          </div>
          {children}
        </div>
      </div>
      <ToLatest isAtEnd={isAtEnd} onGo={goAndFocus} />
    </main>
  );
}

function Dots() {
  return (
    <div className="dots" aria-hidden="true">
      <span />
      <span />
      <span />
    </div>
  );
}
