/** Links between the pages, and from them into the code, lead somewhere. */
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { exists, files, read } from "../house/sources.ts";

const pages = files("*.md", "docs/**/*.md");

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  const headings = [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading.toLowerCase());
  return headings.map((heading) => heading.replaceAll(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-"));
}

function isBroken(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  if (!exists(target)) return true;
  return anchor !== undefined && !anchorsOf(target).includes(anchor);
}

describe("the documentation", () => {
  it("has links that lead somewhere", () => {
    const links = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => ({ page, link })),
    );
    const own = links.filter(({ link }) => !/^https?:/.test(link));
    expect(own.length).toBeGreaterThan(20);
    expect(own.filter(({ page, link }) => isBroken(page, link))).toEqual([]);
  });

  it("reaches every page from the first one", () => {
    const first = read("README.md");
    expect(pages.filter((page) => page !== "README.md" && !first.includes(`](${page})`))).toEqual([]);
  });
});
