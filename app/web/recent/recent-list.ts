/**
 * The conversations that this browser remembers, newest first. Pure: a list in,
 * a list out, the same one when nothing changes. The server lists nobody's
 * conversations; whoever forgets a name has lost it.
 */
import { z } from "zod/mini";

const entrySchema = z.object({
  /** The name of the conversation, as in its address. */
  name: z.string().check(
    z.minLength(1),
    z.refine((name) => name.isWellFormed()),
  ),
  title: z.string(),
  /** When something was last said in it, as far as this browser saw. */
  atMs: z.number().check(z.refine((atMs) => !Number.isNaN(new Date(atMs).getTime()))),
  /** The title was given by a person and stays. */
  isRenamed: z.optional(z.boolean()),
});

export type RecentEntry = Readonly<z.infer<typeof entrySchema>>;
export type RecentList = readonly RecentEntry[];

/** So many are kept; the oldest go. */
export const MAX_RECENT = 200;
/** Longer titles are cut. */
export const MAX_TITLE_CHARS = 80;

/** Puts a conversation in front, with its title if it has none yet. `atMs` is when something was said in it. */
export function remember(list: RecentList, seen: Omit<RecentEntry, "isRenamed">): RecentList {
  const known = list.find(({ name }) => name === seen.name);
  const entry = known ? { ...known, title: known.title || seen.title, atMs: Math.max(known.atMs, seen.atMs) } : seen;
  if (known && known.title === entry.title && known.atMs === entry.atMs) return list;
  const others = list.filter(({ name }) => name !== seen.name);
  return [entry, ...others].toSorted((a, b) => b.atMs - a.atMs).slice(0, MAX_RECENT);
}

/** Gives a title that stays. A blank one changes nothing. */
export function rename(list: RecentList, name: string, title: string): RecentList {
  const given = titleOf(title);
  if (given === "") return list;
  return list.map((entry) => (entry.name === name ? { ...entry, title: given, isRenamed: true } : entry));
}

export function forget(list: RecentList, name: string): RecentList {
  return list.some((entry) => entry.name === name) ? list.filter((entry) => entry.name !== name) : list;
}

/** The first line of a text that says something, cut to the length of a title. */
export function titleOf(text: string): string {
  const line = text
    .split("\n")
    .map((part) => part.replace(/\s+/g, " ").trim())
    .find((part) => part !== "");
  if (line === undefined) return "";
  const letters = [...line];
  return letters.length <= MAX_TITLE_CHARS ? line : `${letters.slice(0, MAX_TITLE_CHARS - 1).join("")}…`;
}

/** Reads what was written with `JSON.stringify`. Entries that are none are left out; what is no list is an empty one. */
export function parseRecent(text: string | null): RecentList {
  const parsed = z.array(z.unknown()).safeParse(parseJson(text ?? "[]"));
  if (!parsed.success) return [];
  const entries = parsed.data.flatMap((item) => {
    const entry = entrySchema.safeParse(item);
    if (!entry.success) return [];
    const { isRenamed, ...rest } = entry.data;
    return [isRenamed === true ? { ...rest, isRenamed } : rest];
  });
  return entries.filter(({ name }, at) => entries.findIndex((entry) => entry.name === name) === at);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
