import { tool } from "ai";
import { z } from "zod";

/** The wall clock in one time zone. An unknown zone is an error that says what a zone looks like. */
export function currentTime(timeZone: string, now: Date): { timeZone: string; iso: string; text: string } {
  try {
    const text = new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "full", timeStyle: "medium" }).format(now);
    return { timeZone, iso: now.toISOString(), text };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Error(`"${timeZone}" is not a time zone. Use an IANA name such as "Europe/Paris", or "UTC".`, {
      cause: error,
    });
  }
}

/** `current_time({timeZone?})`: the time now, in UTC unless a zone is given. */
export const currentTimeTool = tool({
  description: "Tells the current date and time, in UTC or in a given time zone.",
  inputSchema: z.object({
    timeZone: z.string().optional().describe('IANA time zone such as "Asia/Tokyo"; UTC when missing'),
  }),
  execute: ({ timeZone }) => currentTime(timeZone ?? "UTC", new Date()),
});
