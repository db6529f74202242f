import { convertToModelMessages, type ModelMessage } from "ai";
import { describe, expect, it } from "vitest";
import { attachedText, readAttachedText, withTextFiles } from "./attached-text.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const fromClient = (mediaType: string, url: string) =>
  convertToModelMessages([
    {
      role: "user",
      parts: [
        { type: "file", mediaType, url, filename: 'a "b".md' },
        { type: "text", text: "What is it?" },
      ],
    },
  ]);

describe("text files of a prompt", () => {
  it("become texts that say what they were", async () => {
    const messages = await fromClient("text/markdown", `data:text/markdown;base64,${base64("# Grüße\n")}`);
    expect(withTextFiles(messages)[0]?.content).toEqual([
      { type: "text", text: 'Attached file "a \\"b\\".md" (text/markdown, 10 bytes):\n\n# Grüße\n' },
      { type: "text", text: "What is it?" },
    ]);
  });

  it("leave everything else as it is", async () => {
    const messages: ModelMessage[] = [
      ...(await fromClient("image/png", "data:image/png;base64,AAAA")),
      ...(await fromClient("text/plain", "https://example.com/a.txt")),
      ...(await fromClient("text/plain", "data:text/plain;base64,%%%")),
      { role: "user", content: "hello" },
      { role: "assistant", content: "hello" },
    ];
    for (const [at, message] of withTextFiles(messages).entries()) expect(message).toBe(messages[at]);
  });

  it("are read again from the text", () => {
    const given = { name: 'a "b" (c).md', mediaType: "text/plain", bytes: 3, text: "one\n\ntwo" };
    expect(readAttachedText(attachedText(given))).toEqual(given);
    expect(readAttachedText("Attached file, or what?")).toBeNull();
  });
});
