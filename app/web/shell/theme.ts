/** Light or dark: as the system has it, unless somebody chose. */
import { StoredValue } from "./stored-value.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export const theme = new StoredValue<Theme>("troupe.theme", (text) => {
  const stored = text?.replaceAll('"', "");
  return THEMES.find((name) => name === stored) ?? "system";
});

/** Makes the page follow the choice, now and whenever it changes. */
export function applyTheme(): void {
  const apply = () => {
    document.documentElement.dataset["theme"] = theme.get();
  };
  theme.subscribe(apply);
  apply();
}
