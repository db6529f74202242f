/** What the demo model can read out of a sentence. Every function is pure and finds things in the order of the text. */

/** The words of a text or of an identifier, without their endings: `roll_dice`, "Rolling a die" → `roll`, `dic`. */
export function stems(text: string): string[] {
  const words = text.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return (words.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.replace(/^(.{3,}?)(?:ing|ed|es|e|s)$/u, "$1"));
}

/** Whether the text says the word or phrase, in any of its endings and in any case. */
export function saysWord(text: string, phrase: string): boolean {
  return ` ${stems(text).join(" ")} `.includes(` ${stems(phrase).join(" ")} `);
}

const numberWords = new Map(
  "one two three four five six seven eight nine ten eleven twelve"
    .split(" ")
    .map((word, index) => [word, index + 1] as const),
);

/** "2d6" and "a d20" say the same as "2 dice 6 sides" and "1 dice 20 sides"; "three" the same as "3". */
export function plainNumbers(text: string): string {
  return text
    .replace(/\b(\d*)d(\d+)\b/gi, (_, count: string, sides: string) => `${count || "1"} dice ${sides} sides`)
    .replace(/\b[a-z]+\b/gi, (word) => String(numberWords.get(word.toLowerCase()) ?? word));
}

export interface FoundNumber {
  readonly value: number;
  /** Where it stands in the text. */
  readonly position: number;
  /** The stems of the words right before and right after the number. */
  readonly before: string;
  readonly after: string;
}

export function numbersIn(text: string): FoundNumber[] {
  const pattern = /(?:(\p{L}+)[\s:=]+)?(?<![\w.])(-?\d+(?:\.\d+)?)(?:[\s-]*(\p{L}+))?/gu;
  return [...plainNumbers(text).matchAll(pattern)].map((match) => ({
    value: Number(match[2]),
    position: match.index,
    before: stems(match[1] ?? "")[0] ?? "",
    after: stems(match[3] ?? "")[0] ?? "",
  }));
}

export function quotedIn(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|“([^”]*)”|`([^`]*)`/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

/** Arithmetic, written with signs or with words such as "plus" and "divided by". The longest one comes first. */
export function expressionsIn(text: string): string[] {
  const signs = text
    .replace(/\d{4}-\d\d-\d\d/g, " ")
    .replace(/\bplus\b/gi, "+")
    .replace(/\bminus\b/gi, "-")
    .replace(/\b(?:times|multiplied by)\b|×|(?<=\d)\s*x\s*(?=\d)/gi, "*")
    .replace(/\bdivided by\b|÷/gi, "/")
    .replace(/\bto the power of\b/gi, "^");
  const runs = signs.match(/(?:(?:\b[a-z]+\d*(?=\()|\bpi\b|\d+(?:\.\d+)?|[+\-*/%^(),])\s*)+/gi) ?? [];
  return runs
    .map((run) => run.replace(/^[\s,)*/%^]+|[\s,(+\-*/%^]+$/g, ""))
    .filter((run) => /(?:\d|pi|\))\s*[+\-*/%^]\s*[\w(-]|[a-z]\d*\(/i.test(run))
    .toSorted((a, b) => b.length - a.length);
}

const zonesByCity = new Map(
  Intl.supportedValuesOf("timeZone").map((zone) => [(zone.split("/").at(-1) ?? zone).replaceAll("_", " "), zone]),
);

/** IANA time zones, named in full (`Asia/Tokyo`, `UTC`) or by their city ("New York"). */
export function timeZonesIn(text: string): string[] {
  const named = text.match(/\b[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z_]+)?\b|\bUTC\b|\bGMT\b/g) ?? [];
  if (named.length > 0) return named;
  return [...zonesByCity].filter(([city]) => saysWord(text, city)).map(([, zone]) => zone);
}

/** The same list with each found text, for patterns that need no more than that. */
export function finder(pattern: RegExp): (text: string) => string[] {
  return (text) => [...text.matchAll(pattern)].map((match) => match[1] ?? match[0]);
}
