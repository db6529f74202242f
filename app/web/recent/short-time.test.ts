import { expect, it } from "vitest";
import { shortTime } from "./short-time.ts";

const at = (text: string) => new Date(text).getTime();

it.each([
  ["2026-05-20T08:05", "08:05"],
  ["2026-05-19T23:59", "Tue"],
  ["2026-05-14T12:00", "Thu"],
  ["2026-05-13T12:00", "13 May"],
  ["2025-12-31T12:00", "Dec 2025"],
  ["2026-05-21T00:10", "00:10"],
])("says when %s was as one counts back from a Wednesday", (then, words) => {
  expect(shortTime(at(then), at("2026-05-20T14:00"))).toBe(words);
});
