import { describe, expect, it } from "vitest";
import * as chat from "./index.ts";

describe("the chat entry point (F166)", () => {
  it("has every name", () => {
    expect(Object.keys(chat)).toEqual(
      expect.arrayContaining([
        "AbortRegistry",
        "CHAT_MESSAGE_TYPES",
        "ContinuationState",
        "RequestContextStore",
        "ResumableStream",
        "StreamAccumulator",
        "StreamResumeHandler",
        "TurnQueue",
        "applyToolUpdate",
        "enforceRowSizeLimit",
        "findAndUpdateToolPart",
        "parseProtocolMessage",
        "sanitizeMessage",
        "setupChatProtocol",
        "toolApprovalUpdate",
        "toolResultUpdate",
      ]),
    );
  });
});
