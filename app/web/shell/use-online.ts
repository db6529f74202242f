import { useSyncExternalStore } from "react";

/** Whether the browser has a network, as it says itself, and again whenever that changes. */
export function useOnline(): boolean {
  return useSyncExternalStore(onChange, () => navigator.onLine);
}

function onChange(listener: () => void): () => void {
  addEventListener("online", listener);
  addEventListener("offline", listener);
  return () => {
    removeEventListener("online", listener);
    removeEventListener("offline", listener);
  };
}
