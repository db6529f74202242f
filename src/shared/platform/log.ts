/** Structured log lines on the console; Workers Logs indexes the fields of an object. */
import { errorText } from "../errors.ts";

export type LogFields = Readonly<Record<string, unknown>>;

export function logError(event: string, error: unknown, fields: LogFields = {}): void {
  console.error({ event, ...fields, error: errorText(error), stack: error instanceof Error ? error.stack : undefined });
}

export function logWarning(event: string, fields: LogFields = {}): void {
  console.warn({ event, ...fields });
}
