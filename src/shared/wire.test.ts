import { describe, expect, it } from "vitest";
import { parseChatBody } from "./wire.ts";

describe("parseChatBody", () => {
  it.each(["", "not json", '{"messages":['])("says of %j that it is not JSON", (text) => {
    expect(parseChatBody(text)).toEqual({ ok: false, problem: "the body is not JSON", code: "bad_request" });
  });

  it.each(["null", "[]", '"text"', "{}", '{"messages":1}'])("says of %j what does not validate", (text) => {
    const parsed = parseChatBody(text);
    expect(parsed).toMatchObject({ ok: false, code: "bad_request" });
    expect(parsed.ok ? "" : parsed.problem).toContain("Invalid input");
  });

  it("keeps the caller's own fields", () => {
    expect(parseChatBody('{"messages":[],"mood":"good"}')).toEqual({ ok: true, body: { messages: [], mood: "good" } });
  });
});
