import { sizeText } from "../message/data-url.ts";
import { Value } from "../message/value.tsx";
import type { TurnReport } from "./inspect.ts";

const NONE = "No turn yet, or none since the conversation was cleared or woke up.";

/** What the last turn was and what it cost. */
export function TurnView({ turn }: { readonly turn: TurnReport | null }) {
  return (
    <section className="turn-view" aria-labelledby="turn-heading">
      <h3 id="turn-heading">Last turn</h3>
      {turn === null ? <p className="hint">{NONE}</p> : <Report turn={turn} />}
    </section>
  );
}

function Report({ turn }: { readonly turn: TurnReport }) {
  const { record, cost } = turn;
  const calls = Object.entries(cost.actorCalls);
  const appends = cost.actorCalls["append"] ?? 0;
  const tookMs = cost.endedAtMs === null ? null : cost.endedAtMs - cost.startedAtMs;
  return (
    <>
      <p className="turn-line">
        <span data-state={record.state}>{record.state}</span>, {record.kind}
        {tookMs === null ? null : `, ${(tookMs / 1_000).toFixed(1)} s`}
      </p>
      <dl className="numbers">
        <Figure name="Chunks" value={cost.chunks} />
        <Figure name="Frames" value={cost.frames} />
        <Figure name="Frame bytes" value={sizeText(cost.frameBytes)} />
        <Figure name="Statements" value={cost.statements} />
        <Figure name="Rows read" value={cost.rowsRead} />
        <Figure name="Rows written" value={cost.rowsWritten} />
        <Figure name="Attempts" value={record.attempts} />
        <Figure name="Actor calls" value={calls.reduce((sum, [, times]) => sum + times, 0)} />
      </dl>
      {calls.length === 0 ? null : (
        <p className="hint">Actor calls: {calls.map(([call, times]) => `${call} × ${times}`).join(", ")}</p>
      )}
      <p className="hint">
        Frames and their bytes are those of all sockets together. Statements and rows are those of the conversation’s
        own tables{appends > 0 ? `; the StreamBuffer wrote ${rowText(appends)} more, one for each append` : ""}.
      </p>
      <details className="fold">
        <summary>Turn record</summary>
        <div className="fold-inside">
          <Value label="Row" value={record} />
        </div>
      </details>
    </>
  );
}

function rowText(count: number): string {
  return count === 1 ? "one row" : `${count.toLocaleString("en")} rows`;
}

function Figure({ name, value }: { readonly name: string; readonly value: number | string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{typeof value === "number" ? value.toLocaleString("en") : value}</dd>
    </div>
  );
}
