import { StoredValue } from "../shell/stored-value.ts";

/** Whether the panel is open, as this browser remembers. */
export const isPanelOpen = new StoredValue<boolean>("troupe.inside", (text) => text === "true");
