import { sizeText } from "../message/data-url.ts";
import { Value } from "../message/value.tsx";
import type { TurnReport } from "./inspect.ts";

/** What the last turn was and what it cost. */
export function TurnView({ turn }: { readonly turn: TurnReport | null }) {
  return (
    <section className="turn-view" aria-labelledby="turn-heading">
      <h3 id="turn-heading">Last turn</h3>
      {turn === null ? <p className="hint">No turn yet since this conversation woke up.</p> : <Report turn={turn} />}
    </section>
  );
}

function Report({ turn }: { readonly turn: TurnReport }) {
  const calls = Object.entries(turn.actorCalls);
  const tookMs = turn.endedAtMs === null ? null : turn.endedAtMs - turn.startedAtMs;
  return (
    <>
      <p className="turn-line">
        <span data-state={turn.state}>{turn.state}</span> {turn.kind}
        {tookMs === null ? null : `, ${(tookMs / 1_000).toFixed(1)} s`}
      </p>
      <dl className="numbers">
        <Figure name="Chunks" value={turn.chunks} />
        <Figure name="Frames" value={turn.frames} />
        <Figure name="Frame bytes" value={sizeText(turn.frameBytes)} />
        <Figure name="Statements" value={turn.statements} />
        <Figure name="Rows read" value={turn.rowsRead} />
        <Figure name="Rows written" value={turn.rowsWritten} />
        <Figure name="Buffer rows" value={turn.bufferRows} />
        <Figure name="Actor calls" value={calls.reduce((sum, [, times]) => sum + times, 0)} />
      </dl>
      {calls.length === 0 ? null : (
        <p className="hint">Calls: {calls.map(([call, times]) => `${call} × ${times}`).join(", ")}</p>
      )}
      <details className="fold">
        <summary>Turn record</summary>
        <div className="fold-inside">
          <Value label="Row" value={turn.record} />
        </div>
      </details>
    </>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: number | string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{typeof value === "number" ? value.toLocaleString("en") : value}</dd>
    </div>
  );
}
