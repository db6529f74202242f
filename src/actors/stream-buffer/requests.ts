/** The border of the StreamBuffer: what does not validate never reaches the log. */
import type { UIMessageChunk } from "ai";
import { z } from "zod";
import { TroupeError } from "../../shared/errors.ts";
import type { AppendRequest, ChunkEntry, ReadRequest } from "./contract.ts";
import { isSoundEntry, MAX_JOINED_DELTAS } from "./frames.ts";

const streamId = z.string().min(1).max(512);
const epochMs = z.number().int().min(0);
const seq = z
  .number()
  .int()
  .min(0)
  .max(Number.MAX_SAFE_INTEGER - 1);

const chunk = z.custom<UIMessageChunk>(isChunk, "not a chunk");

const entry = z
  .object({ from: seq.min(1), to: seq.min(1), chunk, cuts: z.array(z.number()).max(MAX_JOINED_DELTAS).optional() })
  .transform(({ cuts, ...rest }): ChunkEntry => (cuts ? { ...rest, cuts } : rest))
  .refine(isSoundEntry, "seqs, cuts and delta do not agree");

const end = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("finished") }),
  z.object({ kind: z.literal("failed"), message: z.string().max(64 * 1024) }),
]);

const appendRequest = z
  .object({
    streamId,
    entries: z.array(entry).max(100_000).refine(isContiguous, "entries are not contiguous and ascending"),
    end: end.optional(),
    atMs: epochMs,
  })
  .transform(({ end, ...rest }): AppendRequest => (end ? { ...rest, end } : rest));

const readRequest = z
  .object({
    streamId,
    after: seq,
    maxBytes: z
      .number()
      .int()
      .min(1)
      .max(16 * 1024 * 1024)
      .optional(),
  })
  .transform(({ maxBytes, ...rest }): ReadRequest => (maxBytes ? { ...rest, maxBytes } : rest));

const dropRequest = z.array(streamId).max(10_000);

/** Each takes anything and returns the request in it, or throws `bad_request`. */
export const parseAppend = (value: unknown): AppendRequest => parse(appendRequest, value);
export const parseRead = (value: unknown): ReadRequest => parse(readRequest, value);
export const parseDrop = (value: unknown): string[] => parse(dropRequest, value);
export const parseSweep = (value: unknown): number => parse(epochMs, value);

function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new TroupeError("bad_request", z.prettifyError(parsed.error));
}

/** An object with a type: the log does not look further into it. */
function isChunk(value: unknown): boolean {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function isContiguous(entries: readonly ChunkEntry[]): boolean {
  return entries.every((entry, at) => at === 0 || entry.from === (entries[at - 1] as ChunkEntry).to + 1);
}
