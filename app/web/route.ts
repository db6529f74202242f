/** The address bar as state: `/c/<name>` is a conversation, `/` a new one. */
import { type MouseEvent, useSyncExternalStore } from "react";
import { newName } from "./names.ts";

export type Route =
  | { readonly page: "conversation"; readonly name: string }
  | { readonly page: "new" }
  | { readonly page: "nowhere" };

export function routeOf(pathname: string): Route {
  if (pathname === "/") return { page: "new" };
  const name = decode(/^\/c\/([^/]+)\/?$/.exec(pathname)?.[1] ?? "");
  return name === "" ? { page: "nowhere" } : { page: "conversation", name };
}

export function pathOf(name: string): string {
  return `/c/${encodeURIComponent(name)}`;
}

/** The path of the page, and again whenever it changes. */
export function usePathname(): string {
  return useSyncExternalStore(onPathChange, () => location.pathname);
}

/** Puts a new conversation in the place of the page that is open. */
export function replaceWithNewConversation(): void {
  history.replaceState(null, "", pathOf(newName()));
  dispatchEvent(new PopStateEvent("popstate"));
}

/** For a link to `/`: stays on the page for a plain click, then calls `then`; other clicks are the browser's. */
export function onNewConversationClick(event: MouseEvent, then?: () => void): void {
  onLinkClick(event, pathOf(newName()), then);
}

/** For a link of this page: goes to `path` without loading the page again for a plain click, then calls `then`. */
export function onLinkClick(event: MouseEvent, path: string, then?: () => void): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (path !== location.pathname) goTo(path);
  then?.();
}

/** What opens over the page is a place of its own in the history, so that the way back leads out of it only. */
export function enterOverlay(): void {
  if (!isInOverlay()) history.pushState(OVERLAY, "");
}

/** Goes back to the page below, with a `popstate` once that is done; false when somebody went back or on already. */
export function leaveOverlay(): boolean {
  const isInside = isInOverlay();
  if (isInside) history.back();
  return isInside;
}

const OVERLAY = { isOverlay: true };

function isInOverlay(): boolean {
  return (history.state as typeof OVERLAY | null)?.isOverlay === true;
}

/** Whoever goes on from an overlay does not come back to it. */
function goTo(path: string): void {
  if (isInOverlay()) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
}

function onPathChange(listener: () => void): () => void {
  addEventListener("popstate", listener);
  return () => removeEventListener("popstate", listener);
}

/** Empty for what is not properly encoded: it names nothing, and is nobody else's name. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return "";
    throw error;
  }
}
