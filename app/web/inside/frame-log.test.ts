import { describe, expect, it } from "vitest";
import {
  emptyLog,
  gistOf,
  hasWords,
  labelOf,
  logEvent,
  logFrame,
  MAX_FRAME_CHARS,
  MAX_FRAMES,
  readable,
  shortType,
} from "./frame-log.ts";

const one = (text: string) => logFrame(emptyLog, "received", text, 5).frames[0]!;
const chunk = (body: object, more: object = {}) =>
  one(JSON.stringify({ type: "cf_agent_use_chat_response", id: "r", body: JSON.stringify(body), ...more }));

describe("the log of frames", () => {
  it("notes direction, type, time and bytes", () => {
    expect(one('{"type":"cf_agent_chat_clear","x":"ü"}')).toEqual({
      number: 1,
      direction: "received",
      type: "cf_agent_chat_clear",
      atMs: 5,
      bytes: 39,
      text: '{"type":"cf_agent_chat_clear","x":"ü"}',
    });
    expect(one("ping").type).toBe("other");
    expect(one('{"id":"r","type":"late"}').type).toBe("late");
    expect(one('{"mcp":{},"type":"cf_agent_mcp_servers"}').type).toBe("cf_agent_mcp_servers");
  });

  it("keeps the newest, and goes on counting", () => {
    let log = emptyLog;
    for (let at = 0; at < MAX_FRAMES + 5; at++) log = logFrame(log, "sent", `{"type":"t","at":${at}}`, at);
    expect(log.count).toBe(MAX_FRAMES + 5);
    expect(log.frames).toHaveLength(MAX_FRAMES);
    expect(log.frames[0]?.number).toBe(6);
  });

  it("keeps only the beginning of a long frame, with the size of all of it", () => {
    const frame = one(`{"type":"t","data":"${"x".repeat(MAX_FRAME_CHARS)}"}`);
    expect(frame.text).toHaveLength(MAX_FRAME_CHARS);
    expect(frame.bytes).toBe(MAX_FRAME_CHARS + 22);
    expect(readable(frame).endsWith("\n…")).toBe(true);
    expect(gistOf(frame)).toBe("");
  });

  it("notes that the socket opened and closed", () => {
    expect(logEvent(emptyLog, "close", "1006", 1).frames[0]).toMatchObject({ type: "close", text: "1006", bytes: 0 });
  });

  it("says in a few words what a frame is about", () => {
    expect(gistOf(chunk({ type: "text-delta", delta: "Hi" }, { seq: 3 }))).toBe('3 text-delta "Hi"');
    expect(gistOf(chunk({}, { done: true, outcome: "completed" }))).toBe("done, completed");
    expect(gistOf(one('{"type":"t","body":"","done":false,"replayComplete":true}'))).toBe("replay complete");
    expect(gistOf(one('{"type":"t","messages":[1,2]}'))).toBe("2 messages");
    expect(gistOf(one("ping"))).toBe("");
    expect(shortType("cf_agent_use_chat_response")).toBe("chat_response");
    expect(shortType("cf_agent_chat_tail")).toBe("chat_tail");
  });

  it("is found by what its row shows and by its full type, and by nothing else in it", () => {
    const frame = chunk({ type: "text-delta", delta: "Hi" }, { seq: 3, hidden: "secret" });
    for (const words of ["", " CHAT_response ", '3 text-delta "Hi"', "cf_agent_use"])
      expect(hasWords(frame, words)).toBe(true);
    for (const words of ["secret", "seq"]) expect(hasWords(frame, words)).toBe(false);
    const closed = logEvent(emptyLog, "close", "Close code 1006", 1).frames[0]!;
    expect(labelOf(closed)).toBe("Socket closed. Close code 1006");
    expect(hasWords(closed, "1006")).toBe(true);
  });

  it("opens the chunk inside a frame for reading", () => {
    expect(JSON.parse(readable(chunk({ type: "finish" })))).toMatchObject({ body: { type: "finish" } });
    expect(readable(one("ping"))).toBe("ping");
  });
});
