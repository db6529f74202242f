import { useEffect, useState } from "react";

/** Which model answers, as `GET /api/model` tells. */
export interface ModelInfo {
  readonly name: string;
  /** `demo`, `misconfigured`, or where the model comes from. */
  readonly source: string;
  /** Why this one, in words. */
  readonly note: string;
}

/** Null until it is known, or when the server does not tell. */
export function useModel(): ModelInfo | null {
  const [model, setModel] = useState<ModelInfo | null>(null);
  useEffect(() => {
    const gone = new AbortController();
    void readModel(gone.signal).then(setModel);
    return () => gone.abort();
  }, []);
  return model;
}

async function readModel(signal: AbortSignal): Promise<ModelInfo | null> {
  try {
    const response = await fetch("/api/model", { signal });
    return response.ok ? ((await response.json()) as ModelInfo) : null;
  } catch (error) {
    // Left the page, offline, or a server without that route: the page works without the name.
    if (error instanceof DOMException || error instanceof TypeError || error instanceof SyntaxError) return null;
    throw error;
  }
}
