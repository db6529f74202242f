/** The StreamBuffer actor: a shell around the chunk log. It sets no alarm; its owner calls `sweep`. */
import { DurableObject } from "cloudflare:workers";
import { openDatabase, type Database } from "../../shared/platform/database.ts";
import { migrate } from "../../shared/platform/migrate.ts";
import { append, drop, read } from "./chunk-log.ts";
import type { AppendRequest, AppendResult, ReadRequest, ReadResult, StreamBufferContract } from "./contract.ts";
import { migrations } from "./migrations.ts";
import { parseAppend, parseDrop, parseRead, parseSweep } from "./requests.ts";
import { sweep, type SweepResult } from "./retention.ts";

/** Chunks of streams, kept as `StreamBufferContract` promises. Export it from the Worker; a Conversation runs it as a facet. */
export class StreamBuffer extends DurableObject implements StreamBufferContract {
  readonly #db: Database;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#db = openDatabase(ctx.storage);
    migrate(this.#db, migrations);
  }

  async append(request: AppendRequest): Promise<AppendResult> {
    return append(this.#db, parseAppend(request));
  }

  async read(request: ReadRequest): Promise<ReadResult> {
    return read(this.#db, parseRead(request));
  }

  async finish(streamId: string, atMs: number): Promise<AppendResult> {
    return this.append({ streamId, entries: [], end: { kind: "finished" }, atMs });
  }

  async fail(streamId: string, message: string, atMs: number): Promise<AppendResult> {
    return this.append({ streamId, entries: [], end: { kind: "failed", message }, atMs });
  }

  async drop(streamIds: readonly string[]): Promise<void> {
    drop(this.#db, parseDrop(streamIds));
  }

  async sweep(beforeMs: number): Promise<SweepResult> {
    return sweep(this.#db, parseSweep(beforeMs));
  }
}
