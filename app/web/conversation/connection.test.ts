import { describe, expect, it } from "vitest";
import { connectionOf } from "./connection.ts";

const open = { link: "open", connectionError: null, queued: 0, isEmpty: false } as const;
const silent = { reason: "silent", message: "The server does not answer." } as const;

describe("what is told about the connection", () => {
  it("is good only while the link is open, the server answers, and the device is online", () => {
    expect(connectionOf(open, true)).toEqual({ tone: "good", badge: "Connected", status: null });
    expect(connectionOf(open, false)).toMatchObject({ tone: "warn", badge: "Offline" });
    expect(connectionOf({ ...open, connectionError: silent }, true)).toEqual({
      tone: "warn",
      badge: "No answer",
      status: "No answer from the server. Trying again…",
    });
    for (const link of ["connecting", "closed", "closed-for-good"] as const) {
      expect(connectionOf({ ...open, link }, true).tone).not.toBe("good");
    }
  });

  it("says what becomes of messages that wait for it", () => {
    expect(connectionOf({ ...open, link: "closed", queued: 1 }, true).status).toBe(
      "No connection. Your message is sent as soon as there is one.",
    );
    expect(connectionOf({ ...open, queued: 2 }, false).status).toBe(
      "This device is offline: no connection. 2 messages are sent as soon as there is one.",
    );
    expect(connectionOf({ ...open, link: "connecting" }, true).status).toBe("No connection. Trying again…");
  });

  it("says nothing while an empty page connects", () => {
    expect(connectionOf({ ...open, link: "connecting", isEmpty: true }, true).status).toBeNull();
  });
});
