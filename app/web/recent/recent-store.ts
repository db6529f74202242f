import { StoredValue } from "../shell/stored-value.ts";
import { parseRecent, type RecentList } from "./recent-list.ts";

/** The list as this browser keeps it. */
export const recent = new StoredValue<RecentList>("troupe.recent", parseRecent);
