import { APICallError } from "ai";
import { describe, expect, it } from "vitest";
import { TroupeError } from "../../../shared/errors.ts";
import { toClientError } from "./client-error.ts";

const providerError = (statusCode: number, message = "sk-secret is not a key") =>
  new APICallError({ message, url: "https://provider.example", requestBodyValues: {}, statusCode });

describe("toClientError", () => {
  it.each([
    [500, "model_error", true],
    [503, "model_error", true],
    [408, "model_error", true],
    [429, "rate_limited", true],
    [401, "model_error", false],
    [400, "model_error", false],
    [200, "model_error", true],
  ])("maps status %i to %s, retryable %s, and never quotes the provider", (status, code, retryable) => {
    const error = toClientError(providerError(status));
    expect(error).toMatchObject({ code, retryable });
    expect(error.message).not.toContain("secret");
  });

  it.each(["Network connection lost.", "fetch failed"])(
    "takes a provider that hangs up for a failing model: %s",
    (words) => {
      expect(toClientError(new Error(words))).toMatchObject({ code: "model_error", retryable: true });
    },
  );

  it("recognises a prompt that is too long, also below the AI SDK's retries", () => {
    const lastError = providerError(400, "This model's maximum context length is 8192 tokens.");
    expect(toClientError({ name: "AI_RetryError", lastError })).toMatchObject({ code: "context_overflow" });
  });

  it("passes our own errors through and takes everything else for a passing trouble", () => {
    expect(toClientError(new TroupeError("no_model", "Set a key."))).toEqual({
      code: "no_model",
      message: "Set a key.",
      retryable: false,
    });
    expect(toClientError(null)).toMatchObject({ code: "internal", retryable: true });
    expect(toClientError(new TypeError("x is undefined")).message).not.toContain("undefined");
  });
});
