import { useEffect } from "react";
import { ConversationPage } from "./conversation/conversation-page.tsx";
import { replaceWithNewConversation, routeOf, usePathname } from "./route.ts";

export function App() {
  const route = routeOf(usePathname());
  const isNew = route.page === "new";
  useEffect(() => {
    if (isNew) replaceWithNewConversation();
  }, [isNew]);
  if (route.page === "conversation") return <ConversationPage key={route.name} name={route.name} />;
  return isNew ? null : <Nowhere />;
}

function Nowhere() {
  return (
    <main className="nowhere">
      <h1>There is no such page</h1>
      <p>
        Nothing is kept at this address. Conversations live at addresses like <code>/c/swift-juggler-4821</code>.
      </p>
      <a className="button" href="/">
        Start a new conversation
      </a>
    </main>
  );
}
