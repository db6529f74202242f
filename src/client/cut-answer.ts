/** What the server notes on an answer that was cut, in its metadata, so that it is still known after a reload. */
import type { UIMessage } from "ai";
import { z } from "zod";

const cutSchema = z.object({
  troupe: z.object({
    outcome: z.enum(["failed", "aborted", "superseded"]),
    error: z.object({ message: z.string(), retryable: z.boolean() }).optional(),
  }),
});

/** How an answer was cut: `aborted` by a person, or `failed`, then with the error as people may see it. */
export interface Cut {
  readonly outcome: "failed" | "aborted" | "superseded";
  readonly error?: { readonly message: string; readonly retryable: boolean } | undefined;
}

/** How the answer was cut; null for a complete one and for messages of users. */
export function cutOf(message: UIMessage): Cut | null {
  if (message.role !== "assistant" || message.metadata === undefined) return null;
  const parsed = cutSchema.safeParse(message.metadata);
  return parsed.success ? parsed.data.troupe : null;
}
