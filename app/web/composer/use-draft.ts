import { useState } from "react";

/**
 * What is written and not sent yet, one text per conversation. It outlives a look at another conversation and a
 * reload, in this tab; where the browser keeps nothing it lives as long as the field.
 */
export function useDraft(name: string): readonly [text: string, setText: (text: string) => void] {
  const key = `troupe.draft.${name}`;
  const [text, show] = useState(() => storage()?.getItem(key) ?? "");
  const setText = (next: string) => {
    show(next);
    keep(key, next);
  };
  return [text, setText];
}

function keep(key: string, text: string): void {
  try {
    if (text === "") storage()?.removeItem(key);
    else storage()?.setItem(key, text);
  } catch (error) {
    // Full: the text stays in the field.
    if (!(error instanceof DOMException)) throw error;
  }
}

/** Null where it is not allowed. */
function storage(): Storage | null {
  try {
    return sessionStorage;
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}
