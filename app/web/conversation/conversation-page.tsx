import { useState } from "react";
import { Sidebar } from "../recent/sidebar.tsx";
import { Sheet } from "../shell/sheet.tsx";
import { useMediaQuery } from "../shell/use-media-query.ts";
import { ConversationView } from "./conversation-view.tsx";

/** A conversation by its name, beside the others: these in a drawer where there is no room for both. */
export function ConversationPage({ name }: { readonly name: string }) {
  const isWide = useMediaQuery("(min-width: 60rem)");
  const [isDrawerOpen, setIsDrawerOpen] = useState(false);
  return (
    <div className="page">
      {isWide ? <Sidebar current={name} /> : null}
      <ConversationView key={name} name={name} onMenu={isWide ? null : () => setIsDrawerOpen(true)} />
      {isWide || !isDrawerOpen ? null : (
        <Sheet side="left" label="Conversations" onClose={() => setIsDrawerOpen(false)}>
          {(close) => <Sidebar current={name} onOpen={close} onClose={close} />}
        </Sheet>
      )}
    </div>
  );
}
