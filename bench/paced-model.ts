/** A model that speaks by a clock held in the hand, so that a turn of ten seconds costs a test none. */
import type { StreamBufferContract } from "../src/index.ts";
import { stage } from "../test/harness/agents.ts";
import type { ManualClock } from "../test/harness/manual-clock.ts";
import { type Beat, finish, ScriptedModel } from "../test/harness/scripted-model.ts";

export interface Pace {
  readonly clock: ManualClock;
  readonly deltas: number;
  /** The whole answer takes this long on the clock. */
  readonly ms: number;
  /** The deltas come in this many bunches, at equal distances. Default: each on its own. */
  readonly bunches?: number;
  /** The answer ends no sooner than this. Default: at once. */
  readonly held?: Promise<unknown>;
}

/** Each delta of a paced answer. */
export const DELTA = "word ";

/** Puts the model behind a conversation. After each bunch everything it has set off settles before time goes on. */
export function speakPaced(name: string, { clock, deltas, ms, bunches = deltas, held }: Pace): void {
  const appends = trackAppends(name);
  const pause = async (): Promise<void> => {
    await appends.settled();
    clock.advance(ms / bunches);
    await appends.settled();
  };
  stage(name).model = new ScriptedModel(function* (): Generator<Beat> {
    yield { type: "text-start", id: "t" };
    for (let bunch = 0; bunch < bunches; bunch++) {
      for (let n = 0; n < deltas / bunches; n++) yield { type: "text-delta", id: "t", delta: DELTA };
      yield pause();
    }
    if (held !== undefined) yield held;
    yield { type: "text-end", id: "t" };
    yield finish();
  });
}

/** Follows the appends of a conversation to its StreamBuffer. */
function trackAppends(name: string): { settled(): Promise<void> } {
  const underWay = new Set<Promise<unknown>>();
  const track = <T>(append: Promise<T>): Promise<T> => {
    const over: Promise<unknown> = append.then(
      () => underWay.delete(over),
      () => underWay.delete(over),
    );
    underWay.add(over);
    return append;
  };
  stage(name).buffer = (real: StreamBufferContract) => ({
    append: (request) => track(real.append(request)),
    read: (request) => real.read(request),
    finish: (streamId, atMs) => real.finish(streamId, atMs),
    fail: (streamId, message, atMs) => real.fail(streamId, message, atMs),
    drop: (streamIds) => real.drop(streamIds),
    sweep: (beforeMs) => real.sweep(beforeMs),
  });
  return {
    settled: async () => {
      // One round of the event loop takes a part from the model to the writer.
      await scheduler.wait(0);
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
