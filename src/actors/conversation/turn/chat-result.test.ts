import type { UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import type { ChatResult } from "../contract.ts";
import { chunksOf } from "./chat-result.ts";

const events = (...data: string[]): Response =>
  new Response(data.map((one) => `data: ${one}\n\n`).join(""), { headers: { "content-type": "text/event-stream" } });

async function read(result: ChatResult): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of chunksOf(result, String) ?? []) chunks.push(chunk);
  return chunks;
}

describe("chunksOf", () => {
  it("is null for no result", () => {
    expect(chunksOf(undefined, String)).toBeNull();
    expect(chunksOf(null as unknown as undefined, String)).toBeNull();
  });

  it.each([{}, "text", 7, { toUIMessageStream: "no" }, []])("throws for what is no result: %o", (value) => {
    expect(() => chunksOf(value as unknown as ChatResult, String)).toThrow(/toUIMessageStream/);
  });

  it("takes a streamable's chunks, and gives it what names an error", async () => {
    let named = "";
    const result: ChatResult = {
      toUIMessageStream: async function* (options) {
        named = options?.onError?.(new Error("inside")) ?? "";
        yield { type: "start" } as UIMessageChunk;
      },
    };
    expect(await read(result)).toEqual([{ type: "start" }]);
    expect(named).toBe("Error: inside");
  });

  it("reads a stream of events up to [DONE]", async () => {
    const response = events('{"type":"start"}', '{"type":"text-start","id":"t"}', "[DONE]");
    expect(await read(response)).toEqual([{ type: "start" }, { type: "text-start", id: "t" }]);
  });

  it.each(["{", '"text"', "{}", "null"])("throws for an event that is no chunk: %s", async (data) => {
    await expect(read(events('{"type":"start"}', data))).rejects.toThrow();
  });

  it("takes any other body as text, split characters and all", async () => {
    const bytes = new TextEncoder().encode("né😀");
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const chunks = await read(new Response(body));
    expect(chunks.map((chunk) => chunk.type).filter((type) => type !== "text-delta")).toEqual([
      "start",
      "text-start",
      "text-end",
      "finish",
    ]);
    expect(chunks.map((chunk) => (chunk.type === "text-delta" ? chunk.delta : "")).join("")).toBe("né😀");
  });

  it("has nothing of a response without a body", async () => {
    expect(await read(new Response(null))).toEqual([]);
  });

  it("fails with the status of a response that is not ok, and cancels its body", async () => {
    let isCancelled = false;
    const body = new ReadableStream({ cancel: () => void (isCancelled = true) });
    await expect(read(new Response(body, { status: 503 }))).rejects.toMatchObject({
      code: "model_error",
      retryable: true,
      message: expect.stringContaining("503"),
    });
    expect(isCancelled).toBe(true);
  });

  it("cancels the body when the reader leaves", async () => {
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode("more ")),
      cancel: () => void (isCancelled = true),
    });
    for await (const chunk of chunksOf(new Response(body), String) ?? []) if (chunk.type === "text-delta") break;
    await scheduler.wait(0);
    expect(isCancelled).toBe(true);
  });
});
