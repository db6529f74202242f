/** StreamBuffers for tests: real objects, each test with its own. */
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { openDatabase, type Database } from "../../src/shared/platform/database.ts";
import type { StreamBufferContract } from "../../src/actors/stream-buffer/contract.ts";

export type StreamBufferStub = DurableObjectStub & StreamBufferContract;

const namespace = (env as unknown as { StreamBuffer: DurableObjectNamespace }).StreamBuffer;

/** A stub of a new StreamBuffer, or a new stub of the one with this id. */
export function newStreamBuffer(id: DurableObjectId = namespace.newUniqueId()): StreamBufferStub {
  return namespace.get(id) as StreamBufferStub;
}

/** Runs `body` inside a new StreamBuffer, over its migrated database. */
export function inStreamBuffer<T>(body: (db: Database) => T | Promise<T>): Promise<T> {
  return runInDurableObject(newStreamBuffer(), (_, state) => body(openDatabase(state.storage)));
}
