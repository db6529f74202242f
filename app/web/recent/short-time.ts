/** When something was, in few letters, as one counts back: `14:05`, `Mon`, `3 Oct`, `Oct 2025`. In the local time zone. */
export function shortTime(atMs: number, nowMs: number, locale = "en-GB"): string {
  const [at, now] = [new Date(atMs), new Date(nowMs)];
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options).format(at);
  const days = Math.round((startOfDay(now) - startOfDay(at)) / 86_400_000);
  if (days <= 0) return format({ hour: "2-digit", minute: "2-digit" });
  if (days < 7) return format({ weekday: "short" });
  return at.getFullYear() === now.getFullYear()
    ? format({ day: "numeric", month: "short" })
    : format({ month: "short", year: "numeric" });
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
