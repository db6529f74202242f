import { useEffect, useState } from "react";
import { readInspection, type TurnReport } from "./inspect.ts";

/** The report of the last turn, read when the panel opens and after each turn. */
export function useInspection(name: string, isBusy: boolean): TurnReport | null {
  const [turn, setTurn] = useState<TurnReport | null>(null);
  useEffect(() => {
    if (isBusy) return undefined;
    const gone = new AbortController();
    void readInspection(name, gone.signal).then((report) => (gone.signal.aborted ? undefined : setTurn(report)));
    return () => gone.abort();
  }, [name, isBusy]);
  return turn;
}
