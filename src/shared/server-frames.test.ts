import { describe, expect, it } from "vitest";
import { parseServerFrame, SERVER_FRAMES, serverFrameProblem } from "./server-frames.ts";
import { CHAT_MESSAGE_TYPES as T } from "./wire-words.ts";

const frame = { type: T.USE_CHAT_RESPONSE, id: "r1", body: "", done: false };

describe("serverFrameProblem", () => {
  it("finds none in a whole frame, with fields it does not know too", () => {
    expect(serverFrameProblem({ ...frame, seq: 1, outcome: "completed", later: true })).toBeNull();
    expect(serverFrameProblem({ type: T.CHAT_TAIL, after: null, messages: [] })).toBeNull();
  });

  it.each([
    [null, "an object"],
    ["text", "an object"],
    [{}, "type"],
    [{ type: "toString" }, "type"],
    [{ type: T.USE_CHAT_REQUEST, id: "r1" }, "type"],
    [{ ...frame, id: undefined }, "id"],
    [{ ...frame, done: "false" }, "done"],
    [{ ...frame, seq: 1.5 }, "seq"],
    [{ ...frame, outcome: "lost" }, "outcome"],
    [{ ...frame, messageIds: ["m1", 2] }, "messageIds"],
    [{ type: T.CHAT_TAIL, messages: [] }, "after"],
    [{ type: T.CHAT_MESSAGES, messages: [null] }, "messages"],
  ])("names what is wrong in %j", (value, problem) => expect(serverFrameProblem(value)).toBe(problem));

  it.each(Object.keys(SERVER_FRAMES))("takes no %s whose fields are all something else", (type) => {
    const fields = Object.keys(SERVER_FRAMES[type as keyof typeof SERVER_FRAMES]);
    const strange = Object.fromEntries(fields.map((name) => [name, Symbol("strange")]));
    expect(serverFrameProblem({ ...strange, type })).toBe(fields[0] ?? null);
  });
});

describe("parseServerFrame", () => {
  it.each([undefined, new ArrayBuffer(8), "hello", "cf_agent_ but not json", '{"type":"cf_agent_other"}'])(
    "takes %s for somebody else's",
    (data) => expect(parseServerFrame(data)).toBeNull(),
  );

  it("gives the frame as it came", () => {
    expect(parseServerFrame(JSON.stringify({ ...frame, seq: 3 }))).toEqual({ ...frame, seq: 3 });
  });
});
