import { describe, expect, it } from "vitest";
import { counted } from "../../../test/harness/counted-database.ts";
import { inStreamBuffer } from "../../../test/harness/stream-buffers.ts";
import type { Database } from "../../shared/platform/database.ts";
import { append, lastWrites } from "./chunk-log.ts";
import { entryOf } from "./frames.ts";
import { sweep } from "./retention.ts";

const write = (db: Database, streamId: string, seq: number, atMs: number) =>
  append(db, { streamId, entries: [entryOf(seq, { type: "start-step" })], atMs });

describe("sweep", () => {
  it("drops what was last written to before the time, running or ended, and tells the oldest that stays", () =>
    inStreamBuffer((db) => {
      write(db, "ended", 1, 10);
      append(db, { streamId: "ended", entries: [], end: { kind: "finished" }, atMs: 20 });
      write(db, "abandoned", 1, 20);
      write(db, "running", 1, 10);
      write(db, "running", 2, 40);
      write(db, "recent", 1, 30);
      expect(sweep(db, 20)).toEqual({ dropped: 0, oldestMs: 20 });
      expect(sweep(db, 30)).toEqual({ dropped: 2, oldestMs: 30 });
      expect(lastWrites(db).map(({ streamId }) => streamId)).toEqual(["recent", "running"]);
      expect(sweep(db, 31)).toEqual({ dropped: 1, oldestMs: 40 });
      expect(sweep(db, 100)).toEqual({ dropped: 1, oldestMs: null });
      expect(sweep(db, 100)).toEqual({ dropped: 0, oldestMs: null });
    }));

  it("writes nothing when nothing is old", () =>
    inStreamBuffer((real) => {
      const { db, take } = counted(real);
      write(db, "s", 1, 10);
      take();
      sweep(db, 5);
      expect(take()).toEqual({ statements: 1, rowsWritten: 0 });
    }));
});
