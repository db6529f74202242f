import { isObject } from "../shared/parse-json.ts";

/** Structural equality of JSON values: key order does not matter, a field that is `undefined` equals one that is missing. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, at) => isSame(item, b[at]));
  }
  return isObject(a) && isObject(b) && hasFieldsOf(a, b) && hasFieldsOf(b, a, () => true);
}

function hasFieldsOf(
  a: Record<string, unknown>,
  b: Record<string, unknown>,
  isEqual: (a: unknown, b: unknown) => boolean = isSame,
): boolean {
  return Object.entries(a).every(
    ([key, value]) => value === undefined || (b[key] !== undefined && isEqual(value, b[key])),
  );
}
