import { describe, expect, it } from "vitest";
import {
  corsHeaders,
  errorResponse,
  originAllowed,
  preflight,
  refusalCloseCode,
  refusalCode,
  refusalText,
} from "./access.ts";
import type { CorsOptions } from "./contract.ts";

const app = "https://app.example.com";
const request = (headers: Record<string, string>, url = "https://chat.example.com/agents/a/b") =>
  new Request(url, { headers });

describe("originAllowed", () => {
  it.each<[string, Record<string, string>, CorsOptions["origins"] | null, boolean]>([
    ["no origin", { cookie: "s=1" }, null, true],
    ["no cookie", { origin: "https://evil.example" }, null, true],
    ["the same host", { origin: "https://chat.example.com", cookie: "s=1" }, null, true],
    ["the same host on another port", { origin: "https://chat.example.com:8443", cookie: "s=1" }, null, false],
    ["a listed origin", { origin: app, cookie: "s=1" }, [app], true],
    ["an origin that begins like a listed one", { origin: `${app}.evil.example`, cookie: "s=1" }, [app], false],
    ["a listed origin by another scheme", { origin: app.replace("https", "http"), cookie: "s=1" }, [app], false],
    ["any origin with cookies", { origin: "https://evil.example", cookie: "s=1" }, "*", false],
    ["an opaque origin", { origin: "null", cookie: "s=1" }, [app], false],
    ["an origin that is none", { origin: "::", cookie: "s=1" }, [app], false],
  ])("%s", (_, headers, origins, isAllowed) => {
    expect(originAllowed(request(headers), origins === null ? undefined : { origins })).toBe(isAllowed);
  });
});

describe("corsHeaders", () => {
  it("are none without an origin, without CORS, and for an origin that is not listed", () => {
    expect(corsHeaders(request({}), { origins: "*" })).toEqual({});
    expect(corsHeaders(request({ origin: app }), undefined)).toEqual({});
    expect(corsHeaders(request({ origin: "https://evil.example" }), { origins: [app] })).toEqual({});
  });

  it("never allow cookies to any origin", () => {
    expect(corsHeaders(request({ origin: app }), { origins: "*" })).not.toHaveProperty(
      "access-control-allow-credentials",
    );
  });
});

describe("preflight", () => {
  it("is answered only where CORS headers are, for a day unless it is said otherwise", () => {
    expect(preflight(request({ origin: app }), undefined)).toBeNull();
    const answer = preflight(request({ origin: app }), { origins: [app] });
    expect(answer?.headers.get("access-control-max-age")).toBe("86400");
    expect(answer?.headers.get("access-control-allow-headers")).toBe("content-type");
  });
});

describe("refusals", () => {
  it.each([
    [401, "unauthorized", 4401, "Sign in first."],
    [403, "forbidden", 4403, "You may not do this."],
  ] as const)("of %i", (status, code, closeCode, text) => {
    const refusal = { allow: false, status } as const;
    expect([refusalCode(refusal), refusalCloseCode(refusal), refusalText(refusal)]).toEqual([code, closeCode, text]);
    expect(refusalText({ ...refusal, reason: "mine" })).toBe("mine");
  });

  it("say over HTTP what, in which words, and whether to try again", async () => {
    const response = errorResponse(429, "rate_limited", "Wait.", true);
    expect([response.status, await response.json()]).toEqual([
      429,
      { error: { code: "rate_limited", message: "Wait.", retryable: true } },
    ]);
  });
});
