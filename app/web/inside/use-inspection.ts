import { useEffect, useState } from "react";
import { readInspection, type TurnReport } from "./inspect.ts";

/** How often the report of a running turn is read again. */
const EVERY_MS = 1_000;

/** The report of the newest turn: read when the panel opens, while a turn runs, when it has ended, and when the conversation was cleared. */
export function useInspection(name: string, isBusy: boolean, isEmpty: boolean): TurnReport | null {
  const [turn, setTurn] = useState<TurnReport | null>(null);
  useEffect(() => {
    const gone = new AbortController();
    const read = () =>
      void readInspection(name, gone.signal).then((report) => (gone.signal.aborted ? undefined : setTurn(report)));
    read();
    const timer = isBusy ? setInterval(read, EVERY_MS) : undefined;
    return () => {
      clearInterval(timer);
      gone.abort();
    };
    // Read again, whatever it is about the conversation that has changed.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [name, isBusy, isEmpty]);
  return turn;
}
