/** Metadata of a message arrives in pieces; later pieces are merged into earlier ones, object by object. */

/** Names that would reach the prototype of an object. */
const UNSAFE_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** `base` with `piece` merged in. Arrays and plain values replace, `undefined` says nothing. Neither is changed. */
export function mergeMetadata(base: unknown, piece: unknown): unknown {
  if (base === undefined || base === null) return piece;
  if (!isPlainObject(base) || !isPlainObject(piece)) return piece;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(piece)) {
    if (UNSAFE_KEYS.has(key) || value === undefined) continue;
    const before = Object.hasOwn(base, key) ? base[key] : undefined;
    merged[key] = isPlainObject(before) && isPlainObject(value) ? mergeMetadata(before, value) : value;
  }
  return merged;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
