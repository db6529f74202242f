import { useState } from "react";

/** The way to what was said before the first message that is shown. */
export function Older({ onLoad }: { readonly onLoad: () => Promise<void> }) {
  const [state, setState] = useState<"idle" | "loading" | "failed">("idle");
  const load = () => {
    setState("loading");
    onLoad().then(
      () => setState("idle"),
      () => setState("failed"),
    );
  };
  return (
    <p className="older">
      <button type="button" className="quiet" disabled={state === "loading"} onClick={load}>
        {state === "loading" ? "Loading…" : "Show earlier messages"}
      </button>
      {state === "failed" ? (
        <span role="alert">They could not be loaded. Check your connection and try again.</span>
      ) : null}
    </p>
  );
}
