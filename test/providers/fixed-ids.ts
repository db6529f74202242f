/** Ids that the AI SDK and its providers make up, as values in JSON: a text of 16 letters, or `aitxt-` and 24. */
const madeUp = /"(?:[A-Za-z0-9]{16}|aitxt-[A-Za-z0-9]{24})"(?!:)/g;

/** The same JSON with made-up ids numbered by their first place, so that two runs can be compared. */
export function withFixedIds(json: string): string {
  const numbers = new Map<string, string>();
  return json.replace(madeUp, (id) => {
    const number = numbers.get(id) ?? `"made-up ${numbers.size + 1}"`;
    numbers.set(id, number);
    return number;
  });
}
