import { Icon } from "./icons.tsx";
import { useStored } from "./stored-value.ts";
import { type Theme, theme, THEMES } from "./theme.ts";

const icons = { system: "system", light: "sun", dark: "moon" } as const satisfies Record<Theme, string>;
const words: Readonly<Record<Theme, string>> = { system: "as the system", light: "light", dark: "dark" };

/** Goes through the themes: as the system has it, light, dark. */
export function ThemeButton() {
  const now = useStored(theme);
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length] ?? "system";
  return (
    <button
      type="button"
      className="bare"
      aria-label={`Theme: ${words[now]}. Change to ${words[next]}.`}
      title={`Theme: ${words[now]}`}
      onClick={() => theme.update(() => next)}
    >
      <Icon name={icons[now]} />
    </button>
  );
}
