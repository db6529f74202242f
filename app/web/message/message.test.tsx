import type { UIMessage } from "ai";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Message } from "./message.tsx";

type Part = UIMessage["parts"][number];
const draw = (parts: Part[], more: Partial<UIMessage> = {}) =>
  renderToStaticMarkup(
    <Message message={{ id: "m", role: "assistant", parts, ...more }} isLast={false} isGrowing={false} />,
  );
const attach = (mediaType: string, url: string) =>
  draw([{ type: "file", mediaType, url, filename: "a.file" }], { role: "user" });
const source = (url: string) => draw([{ type: "source-url", sourceId: "s", url, title: "There" }]);
const say = (text: string) => draw([{ type: "text", text }]);

describe("a message of the assistant", () => {
  it("is formatted, tables and task lists too", () => {
    expect(say("**bold** and `code`")).toContain("<strong>bold</strong> and <code>code</code>");
    expect(say("| a |\n|---|\n| 1 |")).toContain("<td>1</td>");
  });

  it("never becomes HTML of its own", () => {
    expect(say("<script>alert(1)</script> <img src=x onerror=alert(1)>")).not.toMatch(/<script|<img/);
  });

  it("opens links elsewhere without a word about this page, and none with an unsafe scheme", () => {
    expect(say("[there](https://example.com)")).toContain(
      '<a href="https://example.com" target="_blank" rel="noopener noreferrer nofollow">there</a>',
    );
    expect(say("[here](javascript:alert(1))")).not.toContain("javascript:");
  });

  it("loads no picture from anywhere", () => {
    const html = say("![chart](https://example.com/?q=secret)");
    expect(html).not.toContain("<img");
    expect(html).toContain(">chart</a>");
  });

  it.each([
    ["quotes in quotes", `${">".repeat(20_000)}a`],
    ["lists in lists", `${"- ".repeat(20_000)}a`],
    ["stress in stress", `${"*a **b ".repeat(200)}${"c** d*".repeat(200)}`],
  ])("is shown as it was written where it is nested too deep to be formatted: %s", (_, text) => {
    const html = say(`**bold**\n\n${text}`);
    expect(html).toContain(`<p class="plain">`);
    expect(html).toContain(text.replaceAll(">", "&gt;"));
  });

  it("links no source with an unsafe scheme", () => {
    expect(source("https://example.com/a")).toContain('href="https://example.com/a"');
    expect(source("javascript:alert(1)")).not.toMatch(/href|javascript/);
    expect(source("data:text/html,x")).not.toContain("href");
  });

  it("folds thoughts away", () => {
    expect(draw([{ type: "reasoning", text: "Hm.", state: "done" }])).toMatch(
      /<details[^>]*><summary><span>Thoughts<.*Hm\./,
    );
  });

  it("shows each state of a tool call in words", () => {
    const call = { type: "tool-add", toolCallId: "c", input: { a: 1, b: 2 } } as const;
    const states: [Part, string][] = [
      [{ ...call, state: "input-streaming" }, "preparing"],
      [{ ...call, state: "input-available" }, "running"],
      [{ ...call, state: "output-available", output: { sum: 3 } }, "a 1, b 2 → sum 3"],
      [{ ...call, state: "output-error", errorText: "Too large." }, "Too large."],
      [{ ...call, state: "approval-requested", approval: { id: "p" } }, "waits for approval"],
      [{ ...call, state: "output-denied", approval: { id: "p", approved: false } }, "not allowed"],
    ];
    for (const [part, words] of states) expect(draw([part])).toContain(words);
    expect(draw([{ ...call, type: "dynamic-tool", toolName: "sum", state: "input-available" }])).toContain("sum");
  });

  it("draws no arrow to an output that adds nothing", () => {
    const html = draw([
      { type: "tool-wait", toolCallId: "c", input: { s: 20 }, state: "output-available", output: {} },
    ]);
    expect(html).toContain(">s 20</span>");
  });

  it("calls a tool stopped when the answer was stopped in its step, and failed when it failed before", () => {
    const call = { type: "tool-wait", toolCallId: "c", input: {}, state: "output-error", errorText: "Cut." } as const;
    const metadata = { troupe: { outcome: "aborted" } };
    const stopped = draw([{ type: "step-start" }, call], { metadata });
    expect(stopped).toContain("stopped");
    expect(stopped).not.toMatch(/failed|Cut\./);
    expect(draw([call, { type: "step-start" }], { metadata })).toContain("failed");
    expect(draw([call])).toContain("failed");
  });

  it("shows the beginning of a long value, and says how long it is", () => {
    const output = Array.from({ length: 100 }, (_, at) => `line ${at}`).join("\n");
    const html = draw([{ type: "tool-read", toolCallId: "c", input: {}, state: "output-available", output }]);
    expect(html).toContain("line 11\n…");
    expect(html.split("</summary>")[1]).not.toContain("line 12");
    expect(html).toContain("Show all 789 characters");
  });

  it("can be copied once it is there, without what was thought or called", () => {
    expect(say("hello")).toContain('aria-label="Copy answer"');
    expect(draw([{ type: "reasoning", text: "Hm.", state: "done" }])).not.toContain("Copy answer");
  });

  it("says how it was cut", () => {
    const metadata = { troupe: { outcome: "failed", error: { message: "The model failed.", retryable: true } } };
    expect(draw([], { metadata })).toContain("The model failed.");
    expect(draw([], { metadata: { troupe: { outcome: "aborted" } } })).toContain("Stopped.");
  });
});

describe("a message of a person", () => {
  it("shows its pictures, and loads none from elsewhere", () => {
    expect(attach("image/png", "data:image/png;base64,AAAA")).toContain('<img src="data:image/png;base64,AAAA"');
    expect(attach("image/png", "https://example.com/a.png")).not.toContain("<img");
    expect(attach("image/svg+xml", "data:image/svg+xml,<svg/>")).not.toContain("<img");
  });

  it("folds its text files, with name and size, and names other files", () => {
    const html = attach("text/plain", `data:text/plain;base64,${btoa("<b>one</b>")}`);
    expect(html).toMatch(/<summary>.*a\.file.*10 bytes.*<\/summary>.*&lt;b&gt;one/);
    expect(attach("application/pdf", "data:application/pdf;base64,AAAA")).toMatch(/a\.file.*3 bytes/);
  });

  it("stands as it was written", () => {
    expect(draw([{ type: "text", text: "**no** <b>" }], { role: "user" })).toContain("**no** &lt;b&gt;");
  });
});
