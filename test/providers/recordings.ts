/**
 * Recorded streams of model providers: one JSON event a line, the wire format
 * in front of the file's name. One file may hold several responses, one for
 * each time the model was called.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ProviderName, providers, type Wire, WIRES } from "./providers.ts";

export interface Recording {
  readonly name: string;
  readonly wire: Wire;
  /** The lines of each response, in the order in which the model was called. */
  readonly responses: readonly (readonly string[])[];
  /** Whether the provider says in the stream that it failed, or sends what is not JSON. */
  readonly isBroken: boolean;
}

interface ProviderEvent {
  readonly type?: string;
  readonly id?: string;
  readonly responseId?: string;
  readonly error?: unknown;
}

/** What a line says. Recorded lines are sent as they are, also one that is not JSON. */
export function parseEvent(line: string): ProviderEvent {
  try {
    return JSON.parse(line) as ProviderEvent;
  } catch (error) {
    if (error instanceof SyntaxError) return { error };
    throw error;
  }
}

/** Whether `next` begins another response. */
const isBorder: Readonly<Record<Wire, (previous: ProviderEvent, next: ProviderEvent) => boolean>> = {
  anthropic: ({ type }) => type === "message_stop",
  google: (previous, next) => next.responseId !== undefined && previous.responseId !== next.responseId,
  "openai-chat": (previous, next) => next.id !== undefined && previous.id !== next.id,
  "openai-responses": ({ type }) => type === "response.completed",
};

const own = fileURLToPath(new URL("recordings", import.meta.url));
/** More of them, where this folder stands beside the project. */
const shared = fileURLToPath(new URL("../../../shared/provider-streams", import.meta.url));

export const ownRecordings = read(own);
export const sharedRecordings = existsSync(shared) ? read(shared) : [];
export const recordings: readonly Recording[] = [...ownRecordings, ...sharedRecordings];

export interface Replay {
  readonly provider: ProviderName;
  /** The recording's name, for the titles of tests. */
  readonly name: string;
  readonly recording: Recording;
}

/** Every recording with every provider that speaks its wire format. */
export const replays: readonly Replay[] = recordings.flatMap((recording) =>
  (Object.keys(providers) as ProviderName[])
    .filter((provider) => providers[provider].wire === recording.wire)
    .map((provider) => ({ provider, name: recording.name, recording })),
);

/** What the tests say they ran. */
export const counted = `${ownRecordings.length} recordings of our own and ${sharedRecordings.length} shared ones`;

/** The answer that ends a turn once a recording has nothing more to say. */
export function closingAnswer(wire: Wire): readonly string[] {
  const recording = ownRecordings.find(({ name }) => name === `${wire}--text`);
  if (!recording?.responses[0]) throw new Error(`There is no recording ${wire}--text`);
  return recording.responses[0];
}

function read(folder: string): Recording[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".jsonl"));
  return files.toSorted().map((file) => {
    const name = file.replace(/\.jsonl$/, "");
    const wire = WIRES.find((wire) => name.startsWith(`${wire}--`));
    if (!wire) throw new Error(`${file} names no wire format`);
    const lines = readFileSync(join(folder, file), "utf8").split("\n").filter(Boolean);
    const isBroken = lines.map(parseEvent).some(({ error }) => error !== undefined);
    return { name, wire, responses: splitResponses(wire, lines), isBroken };
  });
}

function splitResponses(wire: Wire, lines: readonly string[]): string[][] {
  const responses: string[][] = [];
  let previous: ProviderEvent | undefined;
  for (const line of lines) {
    const event = parseEvent(line);
    if (previous === undefined || isBorder[wire](previous, event)) responses.push([]);
    responses.at(-1)?.push(line);
    previous = event;
  }
  return responses;
}
