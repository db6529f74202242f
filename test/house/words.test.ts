/** Words that have no place in the project. The patterns are written so that they do not match themselves. */
import { describe, expect, it } from "vitest";
import { files, read } from "./sources.ts";

const texts = files(
  "*.{ts,json,jsonc,md}",
  ".ci/*",
  "{src,app,test,bench,docs,scripts}/**/*.{ts,tsx,mjs,css,html,json,jsonc,md}",
)
  .filter((path) => path !== "package-lock.json")
  .map((path) => ({ path, text: read(path) }));

/** `path:line` of every match. */
function places(pattern: RegExp, within = texts): string[] {
  return within.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
  );
}

describe("words", () => {
  it("leaves no markers for later", () => {
    expect(places(/\b(TO[D]O|FIX[M]E|XX[X]|HAC[K])\b/)).toEqual([]);
  });

  it("names no path of a machine", () => {
    expect(places(/(^|[\s"'`(=:])\/(wor[k]|roo[t]|hom[e]|User[s])\/[\w.-]/)).toEqual([]);
  });

  it("names no package registry", () => {
    expect(places(/registry\.(npmj[s]|yarnpk[g])|npm\.pkg\.githu[b]|jfro[g]|artifactor[y]/i)).toEqual([]);
  });

  it("focuses, skips and retries no test", () => {
    const tests = texts.filter(({ path }) => /\.test\.tsx?$/.test(path));
    expect(places(/\b(it|test|describe)\.(onl[y]|ski[p]|tod[o]|fail[s])\b|\bretr[y]:\s*\d/, tests)).toEqual([]);
  });

  it("names no file after nothing in particular", () => {
    const vague = /\b(utils?|helpers?|common|misc|manager|service|base|impl)\b/;
    expect(files("{src,app,test,bench,scripts}/**/*.{ts,tsx,mjs}").filter((path) => vague.test(path))).toEqual([]);
  });
});
