/** Histories that every subject is seeded with: about 640 bytes of JSON a message. */

export interface SeedMessage {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly parts: { readonly type: "text"; readonly text: string }[];
}

export function historyOf(length: number): SeedMessage[] {
  return Array.from({ length }, (_, at) => ({
    id: `seed-${String(at).padStart(8, "0")}`,
    role: at % 2 === 0 ? "user" : "assistant",
    parts: [{ type: "text", text: `${at} `.padEnd(560, "x") }],
  }));
}
